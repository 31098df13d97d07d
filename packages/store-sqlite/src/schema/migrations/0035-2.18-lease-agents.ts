import type { Kysely } from 'kysely';

/**
 * Adds to a lease the agent that created it, as JSON, with the credential that it used. The lease ends when this
 * credential is no longer valid (contract 4). It is null for leases that no agent created.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('leases').addColumn('agent', 'text').execute();
}
