import type { Kysely } from 'kysely';

/**
 * Adds to a driver session the id and the expiry of the `svc-mcp` token that created it. The session ends with this
 * token and counts towards its limits. Adds to an audit row the protocol of the request that caused it (contract 12).
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
