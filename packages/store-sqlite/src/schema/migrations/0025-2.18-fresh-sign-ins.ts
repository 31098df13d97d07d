import type { Kysely } from 'kysely';

/**
 * Adds to sign-ins the time at which the person last authenticated. It is null in older rows, because it is unknown
 * whether a person or a key opened these sign-ins. For sensitive actions, the person must therefore authenticate again
 * (contract 10).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('proven_at', 'integer').execute();
}
