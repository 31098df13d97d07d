import { type Kysely, sql } from 'kysely';

/** Closes what releases up to 2.13 have: locators an element was found by. The service itself writes none. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('LocatorEtalon')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('strategy', 'text', (column) => column.notNull())
    .addColumn('selector', 'text', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
