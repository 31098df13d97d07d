import type { Kysely } from 'kysely';

/**
 * Adds the time at which the owner gets the next message that a key or token expires soon. The time is null in rows of
 * earlier versions. For these rows the server uses the expiry, so the index contains the expiry too.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('api_tokens').addColumn('next_notice_at', 'integer').execute();
  await schema
    .createIndex('api_tokens_notice')
    .on('api_tokens')
    .columns(['next_notice_at', 'expires_at'])
    .execute();
}
