import type { Kysely } from 'kysely';

/** The sign-in that last changed the password. Its bearer tokens stay valid although the epoch was raised. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('spared_sign_in', 'text').execute();
}
