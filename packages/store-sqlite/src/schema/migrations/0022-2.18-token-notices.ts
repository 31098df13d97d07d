import type { Kysely } from 'kysely';

/**
 * Adds the time of the next notice that a key or token ends soon. Rows of earlier versions have no such time. The index
 * also contains the expiry, so that these rows are found by it.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('api_tokens').addColumn('next_notice_at', 'integer').execute();
  await schema
    .createIndex('api_tokens_notice')
    .on('api_tokens')
    .columns(['next_notice_at', 'expires_at'])
    .execute();
}
