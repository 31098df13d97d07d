import type { Kysely } from 'kysely';

/**
 * Adds to accounts the id of the sign-in that last changed the password. Bearer tokens that were minted from other
 * sign-ins of the account become invalid then. Those from this sign-in stay valid.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('spared_sign_in', 'text').execute();
}
