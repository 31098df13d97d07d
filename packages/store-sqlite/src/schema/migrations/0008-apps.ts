import { type Kysely, sql } from 'kysely';

/** Creates the table of the app library. The files themselves are in the data folder, named by id. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('apps')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
