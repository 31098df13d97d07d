import type { Kysely } from 'kysely';

/** Adds the hash of the TLS key that a node presented first. The hub refuses the node if it presents another key. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('nodes').addColumn('key_pin', 'text').execute();
}
