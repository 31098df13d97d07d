import type { Kysely } from 'kysely';

/**
 * Adds the time at which a person last proved a sign-in. Older rows have no time, because it is unknown whether a
 * person or a key opened them. These sign-ins are therefore not fresh until they are proved again (contract 10).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('sign_ins').addColumn('proven_at', 'integer').execute();
}
