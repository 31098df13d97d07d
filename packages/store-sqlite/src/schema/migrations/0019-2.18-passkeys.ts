import { type Kysely, sql } from 'kysely';

/**
 * Adds passkeys, of which the server has only public keys, and the user handles that authenticators store instead of an
 * id or e-mail address (contract 10).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) =>
      column.references('accounts.id').onDelete('cascade').notNull(),
    )
    .addColumn('credential_id', 'text', (column) => column.unique().notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'integer', (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('aaguid', 'text', (column) => column.notNull())
    .addColumn('device_type', 'text', (column) =>
      column.notNull().check(sql`device_type in ('singleDevice', 'multiDevice')`),
    )
    .addColumn('backed_up', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('rp_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('last_used_at', 'integer')
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('passkeys_account').on('passkeys').column('account_id').execute();
  await schema
    .createTable('passkey_users')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.id').onDelete('cascade').notNull(),
    )
    .addColumn('handle', 'text', (column) => column.unique().notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
