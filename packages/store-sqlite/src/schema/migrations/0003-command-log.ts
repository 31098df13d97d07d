import { type Kysely, sql } from 'kysely';

/** Creates tables for the command log of each session, and for the teams and tags that Admins assign to phones. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('command_log')
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('rows', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('last_at', 'integer', (column) => column.notNull())
    .addColumn('entries', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('command_log_pk', ['session_id', 'seq'])
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('command_log_age').on('command_log').column('last_at').execute();
  await schema
    .createTable('phone_settings')
    .addColumn('udid', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('os_version', 'text', (column) => column.notNull())
    .addColumn('team_id', 'text')
    .addColumn('tags', 'text', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
