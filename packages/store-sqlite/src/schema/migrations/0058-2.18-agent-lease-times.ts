import { type Kysely, sql } from 'kysely';

/** Creates the table of the time for which agents held leased phones, which counts towards their minutes (contract 12). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('agent_lease_times')
    .addColumn('agent_id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('ms', 'integer', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
