import type { Kysely } from 'kysely';

/**
 * Adds whether the identity provider made an account Inactive and no one changed its status by hand since (contract
 * 10.5). It is null for accounts of earlier versions, which did not store it.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('directory_users').addColumn('is_deactivated', 'integer').execute();
}
