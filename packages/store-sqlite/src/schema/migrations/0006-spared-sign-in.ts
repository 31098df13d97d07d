import type { Kysely } from 'kysely';

/** The sign-in that changed the password last: its bearer tokens go on, though the epoch was raised. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('spared_sign_in', 'text').execute();
}
