import { type Kysely, sql } from 'kysely';

/**
 * Adds the table `LocatorEtalon` for locators of found elements. Databases of release 2.13 and earlier have this table.
 * svc never writes to it.
 */
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
