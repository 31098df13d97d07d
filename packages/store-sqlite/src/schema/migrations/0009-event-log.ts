import { type Kysely, sql } from 'kysely';

/** Creates the table of lab events, in the order they were written. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('event_log')
    .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement().notNull())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('at', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('event_log_age').on('event_log').column('at').execute();
}
