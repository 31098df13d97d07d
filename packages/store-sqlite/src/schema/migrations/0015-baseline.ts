import { type Kysely, sql } from 'kysely';

/**
 * Adds the table for locators of found elements, the last difference between the migrated tables and those of releases
 * up to 2.13. The service never writes to this table.
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
