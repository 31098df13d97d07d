import { type Kysely, sql } from 'kysely';

/** Nodes of a hub. No foreign key: a node outlives the account that registered it, and what runs there goes on. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('nodes')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('base_path', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('registered_at', 'integer', (column) => column.notNull())
    .addColumn('last_seen_at', 'integer', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
