import type { Kysely } from 'kysely';

/**
 * Adds to sign-ins the team of the API key that opened them. The column is null in older rows. For these, the server
 * uses the team in the row of the API key.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('team_id', 'text').execute();
}
