import type { Kysely } from 'kysely';

/**
 * Adds the sign-in that last changed the password. Its bearer tokens stay valid. All other bearer tokens of the account
 * become invalid, because the change of the password raises the sign-in epoch.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('spared_sign_in', 'text').execute();
}
