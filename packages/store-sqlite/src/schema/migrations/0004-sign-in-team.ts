import type { Kysely } from 'kysely';

/** Team of the key that a sign-in was opened with. Older rows have none and use the team of their API token. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('team_id', 'text').execute();
}
