import type { Kysely } from 'kysely';

/** Adds the indexes with which long lists of accounts, keys and tokens are read in steps, in the order of creation. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createIndex('accounts_created').on('accounts').columns(['created_at', 'id']).execute();
  await schema.createIndex('api_tokens_created').on('api_tokens').columns(['created_at', 'id']).execute();
}
