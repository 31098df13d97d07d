import { type Kysely, sql } from 'kysely';

/** Adds the indexes with which ended sessions are listed by their duration, of all accounts and of one. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index "driver_sessions_lasted" on "driver_sessions" (("ended_at" - "started_at"), "started_at", "status", "owner_id") where "ended_at" is not null`.execute(
    database,
  );
  await sql`create index "driver_sessions_owner_lasted" on "driver_sessions" ("owner_id", ("ended_at" - "started_at"), "started_at", "status") where "ended_at" is not null`.execute(
    database,
  );
}
