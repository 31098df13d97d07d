import { type Kysely, sql } from 'kysely';

/**
 * Adds what SCIM needs: which API keys are keys of an identity provider, and what a provider said about an account. The
 * kind has a column of its own, because SQLite cannot add a value to the check of `kind`.
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
