import type { Kysely } from 'kysely';

/**
 * Adds the team of the API key with which a sign-in was opened. For rows that are older than this column, the team of
 * that API key itself is used.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('team_id', 'text').execute();
}
