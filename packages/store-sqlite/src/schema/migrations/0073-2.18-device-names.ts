import type { Kysely } from 'kysely';

/** Adds to a phone the name and the note that an Admin gave it (contract 17.1). */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('DeviceSetting').addColumn('given_name', 'text').execute();
  await schema.alterTable('DeviceSetting').addColumn('note', 'text').execute();
}
