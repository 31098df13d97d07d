import { type Kysely, sql } from 'kysely';

/**
 * Creates the table of driver sessions. The owner is not a foreign key, because sessions remain with the owner's id
 * after the owner's account is deleted.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('driver_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text')
    .addColumn('status', 'text', (column) =>
      column.notNull().check(sql`status in ('running', 'ended', 'passed', 'failed')`),
    )
    .addColumn('owner_id', 'text')
    .addColumn('device', 'text')
    .addColumn('node', 'text')
    .addColumn('started_at', 'integer', (column) => column.notNull())
    .addColumn('ended_at', 'integer')
    .addColumn('failure_category', 'text')
    .addColumn('failure_reason', 'text')
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('healing_tiers', 'text')
    .addColumn('capabilities', 'text', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
  await schema.createIndex('driver_sessions_started').on('driver_sessions').column('started_at').execute();
  await schema
    .createIndex('driver_sessions_owner')
    .on('driver_sessions')
    .columns(['owner_id', 'started_at'])
    .execute();
  await schema.createIndex('driver_sessions_ended').on('driver_sessions').column('ended_at').execute();
}
