import type { Kysely } from 'kysely';

/** The team of the key a sign-in goes back to; older rows name none and have that of their API token. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('team_id', 'text').execute();
}
