import { type Kysely, sql } from 'kysely';

/**
 * Creates the table of attach addresses, at which clients without credentials send commands to one session. The session
 * is not a foreign key, because the rows of a session may be removed while an address is being ended. `maker` is the
 * stored caller as JSON and contains no secret.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('attach_addresses')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('maker', 'text', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'integer', (column) => column.notNull())
    .addColumn('last_used_at', 'integer')
    .addColumn('last_address', 'text')
    .addColumn('last_agent', 'text')
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('attach_addresses_account').on('attach_addresses').column('account_id').execute();
}
