import type { Kysely } from 'kysely';

/**
 * Adds the time of the next notice that a key or token ends soon. Rows of earlier versions have no such time, and the
 * index also finds those by their expiry.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('api_tokens').addColumn('next_notice_at', 'integer').execute();
  await schema
    .createIndex('api_tokens_notice')
    .on('api_tokens')
    .columns(['next_notice_at', 'expires_at'])
    .execute();
}
