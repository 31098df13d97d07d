import type { Kysely } from 'kysely';

/** Adds the column `path` to `LocatorEtalon`, a table that svc never writes to (specification 9.2, release 2.15). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('LocatorEtalon').addColumn('path', 'text').execute();
}
