import type { Kysely } from 'kysely';

/**
 * Adds to each sign-in the team of the API key with which it was opened. For older rows, in which the column is null,
 * the server reads the team from the row of that API key.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('team_id', 'text').execute();
}
