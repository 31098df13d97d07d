import type { Kysely } from 'kysely';

/** Adds to a driver session what the cleaning of its phone removed (contract 17.3). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('driver_sessions').addColumn('clean', 'text').execute();
}
