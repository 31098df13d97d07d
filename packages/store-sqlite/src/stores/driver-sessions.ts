import type {
  DriverSession,
  DriverSessionChange,
  DriverSessionFilter,
  DriverSessionStore,
} from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { DriverSessionRow } from '../schema/rows/lab.ts';
import { DriverSessionListRows } from './driver-session-lists.ts';

/** Stores driver sessions, both running and ended. */
export class DriverSessionRows implements DriverSessionStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;
  readonly #lists: DriverSessionListRows;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#lists = new DriverSessionListRows(connection);
    this.#statements = statements(connection);
  }

  insert(session: DriverSession): void {
    this.#connection.join(() => this.#statements.insert.run(rowOf(session)));
  }

  update(id: string, change: DriverSessionChange): void {
    this.#connection.join(() => {
      const session = this.byId(id);
      if (session !== undefined) this.#statements.update.run(rowOf({ ...session, ...change }));
    });
  }

  byId(id: string): DriverSession | undefined {
    const row = this.#statements.byId.get({ id });
    return row === undefined ? undefined : sessionOf(row);
  }

  *read(filter: DriverSessionFilter): Iterable<DriverSession | undefined> {
    for (const row of this.#lists.read(filter)) yield row === undefined ? undefined : sessionOf(row);
  }

  running(): DriverSession[] {
    return this.#statements.running.all({}).map(sessionOf);
  }

  msOfAgent(agentId: string, since: number): number {
    return this.#statements.msOfAgent.get({ agentId, since })?.ms ?? 0;
  }

  removeEndedBefore(at: number, most: number): number {
    return this.#connection.join(() => {
      const old = this.#statements.endedBefore.all({ at, most });
      for (const session of old) {
        this.#statements.removeCommands.run(session);
        this.#statements.remove.run(session);
      }
      return old.length;
    });
  }
}

function rowOf(session: DriverSession): DriverSessionRow {
  return {
    id: session.id,
    name: session.name,
    status: session.status,
    owner_id: session.ownerId,
    device: session.device === null ? null : JSON.stringify(session.device),
    node: session.node,
    started_at: session.startedAt,
    ended_at: session.endedAt,
    failure_category: session.failureCategory,
    failure_reason: session.failureReason,
    tags: JSON.stringify(session.tags),
    healing_tiers: session.healingTiers === null ? null : JSON.stringify(session.healingTiers),
    capabilities: JSON.stringify(session.capabilities),
    started_by: session.startedBy,
    agent_id: session.agent?.id ?? null,
    agent_until: session.agent?.until ?? null,
    agent_minutes: session.agent?.minutes ?? null,
    clean: session.clean === undefined ? null : JSON.stringify(session.clean),
  };
}

function sessionOf(row: DriverSessionRow): DriverSession {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    ownerId: row.owner_id,
    // Rows of older svc versions have no OS version.
    device: row.device === null ? null : { osVersion: null, ...JSON.parse(row.device) },
    node: row.node,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    failureCategory: row.failure_category,
    failureReason: row.failure_reason,
    tags: JSON.parse(row.tags),
    startedBy: row.started_by,
    healingTiers: row.healing_tiers === null ? null : JSON.parse(row.healing_tiers),
    capabilities: JSON.parse(row.capabilities),
    ...agentOf(row),
    ...(row.clean === null ? {} : { clean: JSON.parse(row.clean) }),
  };
}

function agentOf({ agent_id, agent_until, agent_minutes }: DriverSessionRow): Pick<DriverSession, 'agent'> {
  if (agent_id === null) return {};
  return { agent: { id: agent_id, until: agent_until ?? 0, minutes: agent_minutes } };
}

function statements(connection: Connection) {
  return {
    insert: connection.prepare<DriverSessionRow, never>(`
      insert into driver_sessions (
        id, name, status, owner_id, device, node, started_at, ended_at,
        failure_category, failure_reason, tags, healing_tiers, capabilities, started_by, agent_id, agent_until,
        agent_minutes, clean
      ) values (
        @id, @name, @status, @owner_id, @device, @node, @started_at, @ended_at,
        @failure_category, @failure_reason, @tags, @healing_tiers, @capabilities, @started_by, @agent_id,
        @agent_until, @agent_minutes, @clean
      )`),
    update: connection.prepare<DriverSessionRow, never>(`
      update driver_sessions set
        name = @name, status = @status, ended_at = @ended_at, failure_category = @failure_category,
        failure_reason = @failure_reason, tags = @tags, clean = @clean
      where id = @id`),
    byId: connection.prepare<{ id: string }, DriverSessionRow>(
      'select * from driver_sessions where id = @id',
    ),
    running: connection.prepare<NoParams, DriverSessionRow>(
      'select * from driver_sessions where ended_at is null',
    ),
    msOfAgent: connection.prepare<{ agentId: string; since: number }, { ms: number | null }>(
      `select sum(ended_at - max(started_at, @since)) as ms from driver_sessions
      where agent_id = @agentId and ended_at > @since`,
    ),
    endedBefore: connection.prepare<{ at: number; most: number }, { id: string }>(
      'select id from driver_sessions where ended_at < @at order by ended_at limit @most',
    ),
    removeCommands: connection.prepare<{ id: string }, never>(
      'delete from command_log where session_id = @id',
    ),
    remove: connection.prepare<{ id: string }, never>('delete from driver_sessions where id = @id'),
  };
}
