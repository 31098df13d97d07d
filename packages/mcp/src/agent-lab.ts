import { type Authenticator, type Caller, Refusal } from '@svc/auth-core';
import {
  describeDevice,
  describeLogRow,
  describeSession,
  type Lab,
  leaseInTurn,
  type Phones,
  type SessionView,
} from '@svc/device-lab';
import { instant, mapped } from '@svc/module';
import type { AgentLab, AgentWebDriver, JsonObject, Picture } from './ports.ts';

/** Upper bound for row numbers, used as `before` when an agent requests the newest rows of a session's log. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** @returns the session with the same fields as the response of the REST route `GET /session/:id` */
function shownSession(view: SessionView): JsonObject {
  const { device, ...session } = describeSession(view);
  const { udid, name, platform } = device ?? {};
  return { ...session, device: device === null ? null : { udid, name, platform } };
}

export interface AgentLabNeeds extends Pick<Lab, 'leases' | 'sessions'>, Pick<Phones, 'devices'> {
  readonly authenticator: Pick<Authenticator, 'checkStillGood'>;
  readonly recordings: {
    of(caller: Caller, sessionId: string): { picture(at: string): Promise<Picture | null> };
    viewed(caller: Caller, sessionId: string): void;
  };
  /** Whether this server is a node, whose phones are leased at its hub (contract 8.3). */
  readonly isNode: boolean;
  readonly webDriver: () => AgentWebDriver | null;
}

/** Reads large data so that other requests run in between. */
export interface Reads {
  readonly turns: { all<Item>(items: Iterable<Item>): Promise<Item[]> };
  /** Runs a large read when the caller has a place for it. */
  within<T>(caller: Caller, gone: AbortSignal, read: () => Promise<T>): Promise<T>;
}

/**
 * Returns the functions that MCP tools call for an agent. Their results have the shape of the REST responses (contract
 * 12).
 */
export function agentLab(needs: AgentLabNeeds, reads: Reads): AgentLab {
  const { devices, leases, sessions, recordings, isNode, webDriver } = needs;
  return {
    devices: (caller) => inTurns(mapped(devices.read(caller), describeDevice)),
    lease: async ({ caller, signal }, input) => {
      // Leave out the lease token: the agent's own sessions can use the phone without it, and a model should not see
      // secrets.
      const { lease } = await leaseInTurn(needs, ofThisServer(caller), input, signal);
      return { leaseId: lease.id, udid: lease.udid, expiresAt: instant(lease.expiresAt) };
    },
    release: (caller, leaseId) => leases.end(ofThisServer(caller), leaseId),
    sessions: (caller, page) => inTurns(mapped(sessions.read(caller, page), shownSession)),
    session: (caller, id) => shownSession(sessions.byId(caller, id)),
    sessionLog: async ({ caller, signal }, id, { limit, before = NEWEST }) => {
      const last = Math.min(before - 1, sessions.lastCommand(caller, id));
      const after = Math.max(0, last - limit);
      if (last <= after) return [];
      const rows = () => sessions.commands(caller, id, { after, limit: last - after });
      return await reads.within(caller, signal, () => inTurns(mapped(rows(), describeLogRow)));
    },
    picture: async (caller, id, at) => {
      const picture = await recordings.of(caller, id).picture(at);
      if (picture !== null) recordings.viewed(caller, id);
      return picture;
    },
    webDriver,
  };

  /** Collects the items of a list in turns, so that other requests run in between. */
  async function inTurns<T>(items: Iterable<T | undefined>): Promise<T[]> {
    return (await reads.turns.all(items)).filter((item) => item !== undefined);
  }

  /** Refuses lease changes if this server is a node, because its hub manages the leases. */
  function ofThisServer<T>(caller: T): T {
    if (isNode) throw new Refusal('managed_by_hub', 'managed by the hub of this node');
    return caller;
  }
}
