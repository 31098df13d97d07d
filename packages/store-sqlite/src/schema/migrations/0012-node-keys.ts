import type { Kysely } from 'kysely';

/** The TLS key that a node presented first. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('nodes').addColumn('key_pin', 'text').execute();
}
