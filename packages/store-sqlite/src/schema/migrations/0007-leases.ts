import { type Kysely, sql } from 'kysely';

/**
 * Adds the table of leases (reservations of phones by users), and columns for the node of a phone and the time when the
 * phone was last connected. A phone has at most one lease. A lease is deleted with the account that holds it.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('leases')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('udid', 'text', (column) => column.unique().notNull())
    .addColumn('owner_id', 'text', (column) => column.references('accounts.id').onDelete('cascade').notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'integer', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('leases_owner').on('leases').column('owner_id').execute();
  await schema.alterTable('phone_settings').addColumn('node', 'text').execute();
  await schema.alterTable('phone_settings').addColumn('last_seen_at', 'integer').execute();
}
