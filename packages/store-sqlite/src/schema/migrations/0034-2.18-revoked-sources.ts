import type { Kysely } from 'kysely';

/**
 * Adds to each record of a revoked token the key or sign-in from which the token was minted. The record is removed when
 * the key is revoked together with the tokens minted from it (contract 4).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('revoked_tokens').addColumn('source_id', 'text').execute();
}
