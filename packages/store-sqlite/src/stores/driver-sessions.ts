import type { DriverSession, DriverSessionStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { driverSessionList } from './driver-session-lists.ts';
import { ifPresent, json, nullable, orNull, Rows, required, type Table } from './table.ts';

interface StoredSession extends Omit<DriverSession, 'agent'> {
  /** Id of the `svc-mcp` token with which an agent created the session, or null if no agent created it. */
  readonly agentId: string | null;
  /** Time at which this token expires. */
  readonly agentUntil: number | null;
  /** Maximum number of session minutes per day for this token, or null for no limit. */
  readonly agentMinutes: number | null;
}

/** Rows of older versions have no OS version. */
const device: typeof json = { ...json, load: (value) => ({ osVersion: null, ...json.load(value) }) };

/** All secrets in the capabilities are masked. */
export const DRIVER_SESSIONS: Table<StoredSession> = {
  name: 'driver_sessions',
  columns: {
    id: required,
    name: nullable,
    status: required,
    ownerId: nullable,
    device: orNull(device),
    node: nullable,
    startedAt: required,
    endedAt: nullable,
    failureCategory: nullable,
    failureReason: nullable,
    tags: json,
    healingTiers: orNull(json),
    capabilities: json,
    startedBy: nullable,
    startedByUrl: ifPresent(json),
    agentId: nullable,
    agentUntil: nullable,
    agentMinutes: nullable,
    clean: ifPresent(json),
  },
};

/** Stores driver sessions, both running and ended. */
export function driverSessionRows(connection: Connection): DriverSessionStore {
  const sessions = new Rows(connection, DRIVER_SESSIONS);
  const list = driverSessionList(connection, sessions);
  const insert = sessions.insert();
  const update = sessions.update(
    ...(['name', 'status', 'endedAt', 'failureCategory', 'failureReason', 'tags', 'clean'] as const),
  );
  const stored = sessions.first();
  const running = sessions.all('where ended_at is null');
  const msOfAgent = connection.prepare<{ agentId: string; since: number }, { ms: number | null }>(
    `select sum(ended_at - max(started_at, @since)) as ms from driver_sessions
    where agent_id = @agentId and ended_at > @since`,
  );
  const endedBefore = connection.prepare<{ at: number; most: number }, { id: string }>(
    'select id from driver_sessions where ended_at < @at order by ended_at limit @most',
  );
  const removeCommands = connection.prepare<{ id: string }, never>(
    'delete from command_log where session_id = @id',
  );
  const remove = sessions.remove();
  const byId = (id: string) => {
    const row = stored({ id });
    return row && sessionOf(row);
  };
  return {
    insert: ({ agent, ...session }) => {
      const { id: agentId = null, until: agentUntil = null, minutes: agentMinutes = null } = agent ?? {};
      connection.join(() => insert({ ...session, agentId, agentUntil, agentMinutes }));
    },
    update: (id, change) =>
      connection.join(() => {
        const row = stored({ id });
        if (row !== undefined) update({ ...row, ...change });
      }),
    byId,
    *read(filter) {
      for (const row of list(filter)) yield row && sessionOf(row);
    },
    running: () => running({}).map(sessionOf),
    msOfAgent: (agentId, since) => msOfAgent.get({ agentId, since })?.ms ?? 0,
    removeEndedBefore: (at, most) =>
      connection.join(() => {
        const old = endedBefore.all({ at, most });
        for (const session of old) {
          removeCommands.run(session);
          remove(session);
        }
        return old.length;
      }),
  };
}

function sessionOf({ agentId, agentUntil, agentMinutes, ...session }: StoredSession): DriverSession {
  if (agentId === null) return session;
  return { ...session, agent: { id: agentId, until: agentUntil ?? 0, minutes: agentMinutes } };
}
