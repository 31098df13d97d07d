import { type Kysely, sql } from 'kysely';

/**
 * Adds the table of revoked tokens, and to a sign-in the credentials with which it was opened. Revoking a token can
 * also revoke the tokens that were minted from it. Its row is removed when all of these have expired (contract 10).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('revoked_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('cascades', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'integer', (column) => column.notNull())
    .modifyEnd(sql`without rowid, strict`)
    .execute();
  await schema.createIndex('revoked_tokens_expiry').on('revoked_tokens').column('expires_at').execute();
  await schema.createIndex('revoked_tokens_account').on('revoked_tokens').column('account_id').execute();
  await schema.alterTable('sign_ins').addColumn('opened_with', 'text').execute();
}
