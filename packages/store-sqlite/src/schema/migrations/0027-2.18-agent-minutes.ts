import type { Kysely } from 'kysely';

/**
 * Adds to a driver session the maximum number of minutes that its `svc-mcp` token allows (contract 12). The server
 * needs the number after a restart, to end in time a session that continued on a node.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('driver_sessions').addColumn('agent_minutes', 'integer').execute();
}
