import type { Kysely } from 'kysely';

/**
 * Adds the team of the API key with which a sign-in was opened. Older rows have no team of their own and use that of
 * their API token.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('team_id', 'text').execute();
}
