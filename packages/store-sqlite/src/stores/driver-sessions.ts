import type {
  DriverSession,
  DriverSessionChange,
  DriverSessionFilter,
  DriverSessionStore,
} from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { Params, Prepare } from '../connection/statements.ts';
import type { DriverSessionsTable } from '../schema/tables.ts';

/** Driver sessions, running and over. */
export class DriverSessions implements DriverSessionStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, prepare: Prepare) {
    this.#connection = connection;
    this.#statements = statements(prepare);
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
    const row = this.#statements.byId.first({ id });
    return row === undefined ? undefined : sessionOf(row);
  }

  list({ ownerId, limit }: DriverSessionFilter): DriverSession[] {
    const rows =
      ownerId === undefined
        ? this.#statements.newest.all({ limit })
        : this.#statements.newestOf.all({ ownerId, limit });
    return rows.map(sessionOf);
  }

  running(): DriverSession[] {
    return this.#statements.running.all({}).map(sessionOf);
  }
}

function rowOf(session: DriverSession): DriverSessionsTable {
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
  };
}

function sessionOf(row: DriverSessionsTable): DriverSession {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    ownerId: row.owner_id,
    device: row.device === null ? null : JSON.parse(row.device),
    node: row.node,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    failureCategory: row.failure_category,
    failureReason: row.failure_reason,
    tags: JSON.parse(row.tags),
    healingTiers: row.healing_tiers === null ? null : JSON.parse(row.healing_tiers),
    capabilities: JSON.parse(row.capabilities),
  };
}

function statements(prepare: Prepare) {
  return {
    insert: prepare((query, at: Params<DriverSessionsTable>) =>
      query.insertInto('driver_sessions').values({
        id: at.id,
        owner_id: at.owner_id,
        device: at.device,
        node: at.node,
        started_at: at.started_at,
        healing_tiers: at.healing_tiers,
        capabilities: at.capabilities,
        ...changeable(at),
      }),
    ),
    update: prepare((query, at: Params<DriverSessionsTable>) =>
      query.updateTable('driver_sessions').set(changeable(at)).where('id', '=', at.id),
    ),
    byId: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('driver_sessions').selectAll().where('id', '=', at.id),
    ),
    newest: prepare((query, at: Params<{ limit: number }>) =>
      query.selectFrom('driver_sessions').selectAll().orderBy('started_at', 'desc').limit(at.limit),
    ),
    newestOf: prepare((query, at: Params<{ ownerId: string; limit: number }>) =>
      query
        .selectFrom('driver_sessions')
        .selectAll()
        .where('owner_id', '=', at.ownerId)
        .orderBy('started_at', 'desc')
        .limit(at.limit),
    ),
    running: prepare((query) =>
      query.selectFrom('driver_sessions').selectAll().where('ended_at', 'is', null),
    ),
  };
}

function changeable(at: Params<DriverSessionsTable>) {
  return {
    name: at.name,
    status: at.status,
    ended_at: at.ended_at,
    failure_category: at.failure_category,
    failure_reason: at.failure_reason,
    tags: at.tags,
  };
}
