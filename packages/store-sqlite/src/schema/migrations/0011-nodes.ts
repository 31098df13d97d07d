import { type Kysely, sql } from 'kysely';

/**
 * Creates the table of a hub's nodes. It has no foreign key, because a node and its sessions outlive the account that
 * registered the node.
 */
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
