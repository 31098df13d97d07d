import type { Kysely } from 'kysely';

/** Adds the hash of the TLS key that a node presented first, so that another key can be refused. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('nodes').addColumn('key_pin', 'text').execute();
}
