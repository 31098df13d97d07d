import type { Kysely } from 'kysely';

/**
 * Adds the time of the next notice that a key or token expires soon. It is null in rows of earlier versions. The index
 * also contains the expiry, by which the server finds the rows without such a time.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('api_tokens').addColumn('next_notice_at', 'integer').execute();
  await schema
    .createIndex('api_tokens_notice')
    .on('api_tokens')
    .columns(['next_notice_at', 'expires_at'])
    .execute();
}
