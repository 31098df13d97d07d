import { type Kysely, sql } from 'kysely';

/**
 * Creates the table that stores how long each phone was used, as a total for each hour. The hour comes first in the
 * primary key, because rows are read and removed by ranges of hours.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('phone_use')
    .addColumn('hour', 'integer', (column) => column.notNull())
    .addColumn('udid', 'text', (column) => column.notNull())
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('present_ms', 'integer', (column) => column.notNull())
    .addColumn('busy_ms', 'integer', (column) => column.notNull())
    .addColumn('leased_ms', 'integer', (column) => column.notNull())
    .addColumn('waited_ms', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('phone_use_pk', ['hour', 'udid', 'team_id'])
    .modifyEnd(sql`without rowid, strict`)
    .execute();
}
