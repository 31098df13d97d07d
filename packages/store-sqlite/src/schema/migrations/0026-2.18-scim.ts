import { type Kysely, sql } from 'kysely';

/**
 * Adds the data for SCIM: which API keys are keys of an identity provider, and the data that a provider sent about an
 * account. `is_scim` is a separate column and not a new value of the column `kind`, because SQLite cannot change the
 * `check` constraint that lists the values of `kind`.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('api_tokens')
    .addColumn('is_scim', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('directory_users')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().primaryKey().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('external_id', 'text')
    .addColumn('is_deleted', 'integer', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('directory_users_external').on('directory_users').column('external_id').execute();
}
