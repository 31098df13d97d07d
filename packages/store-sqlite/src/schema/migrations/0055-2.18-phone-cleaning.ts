import { type Kysely, sql } from 'kysely';

/**
 * Creates the table of the phones that are cleaned after their present holder (contract 17.3). A row is stored before
 * the phone is given out, so that a phone is cleaned even if the server was killed.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('phone_cleaning')
    .addColumn('udid', 'text', (column) => column.notNull().primaryKey())
    .addColumn('holder_id', 'text')
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('since', 'integer', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('sessions', 'text', (column) => column.notNull())
    .addColumn('is_kept', 'integer', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
