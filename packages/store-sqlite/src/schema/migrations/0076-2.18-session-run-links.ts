import type { Kysely } from 'kysely';

/** Adds to a driver session the address of the CI run that created it (contract 10.3). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('driver_sessions').addColumn('started_by_url', 'text').execute();
}
