import type { Kysely } from 'kysely';

/**
 * Adds to accounts the id of the sign-in that last changed the password. A change of the password ends the bearer
 * tokens that were minted from other sign-ins of the account, but not the tokens from this sign-in.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('spared_sign_in', 'text').execute();
}
