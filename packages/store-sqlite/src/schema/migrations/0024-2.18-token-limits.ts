import type { Kysely } from 'kysely';

/**
 * Adds two facts. A driver session stores the `svc-mcp` token that created it, so that the session ends with the token
 * and counts towards the limits of the token. An audit row stores the protocol through which the event was caused
 * (contract 12).
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('audit').addColumn('via', 'text').execute();
  await schema.alterTable('driver_sessions').addColumn('agent_id', 'text').execute();
  await schema.alterTable('driver_sessions').addColumn('agent_until', 'integer').execute();
  await schema
    .createIndex('driver_sessions_of_agents')
    .on('driver_sessions')
    .columns(['agent_id', 'started_at'])
    .where('agent_id' as never, 'is not', null)
    .execute();
}
