import { type Kysely, sql } from 'kysely';

/** Creates the table of the phones that are out of service (contract 17.1). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('out_of_service')
    .addColumn('udid', 'text', (column) => column.notNull().primaryKey())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('by_id', 'text')
    .addColumn('since', 'integer', (column) => column.notNull())
    .addColumn('until', 'integer')
    .modifyEnd(sql`without rowid, strict`)
    .execute();
}
