import type { Kysely } from 'kysely';

/**
 * Adds to a driver session the limit of minutes that its `svc-mcp` token sets, so that a session that continued on a node
 * while the server was stopped still ends when the minutes are used up (contract 12).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('driver_sessions').addColumn('agent_minutes', 'integer').execute();
}
