import type { Kysely } from 'kysely';

/**
 * Adds the sign-in that last changed the password. Its bearer tokens stay valid although the change raised the sign-in
 * epoch, which invalidates all others.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('spared_sign_in', 'text').execute();
}
