import type { Kysely } from 'kysely';

const LISTS = {
  driver_sessions_newest: ['started_at', 'status', 'owner_id'],
  driver_sessions_owned: ['owner_id', 'started_at', 'status'],
  driver_sessions_named: ['name', 'started_at', 'status', 'owner_id'],
};

/**
 * Adds indexes that contain the columns which session lists are filtered by, so that sessions with a rare status are
 * found without reading all rows.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  for (const [name, columns] of Object.entries(LISTS)) {
    await schema.createIndex(name).on('driver_sessions').columns(columns).execute();
  }
  for (const name of ['driver_sessions_started', 'driver_sessions_owner']) {
    await schema.dropIndex(name).execute();
  }
}
