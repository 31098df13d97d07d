import { Refusal } from '@svc/auth-core';
import type { SessionView } from '@svc/device-lab';
import type { AgentLab, JsonObject } from '@svc/mcp';
import { instant, mapped } from '@svc/module';
import type { HttpContext } from '../http/http-context.ts';
import { describeDevice } from '../routes/devices.ts';
import { leaseInTurn } from '../routes/leases.ts';
import { describeLogRow, describeSession } from '../routes/sessions.ts';

/** Upper bound for row numbers, used as `before` when an agent requests the newest rows of a session's log. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** @returns the session with the same fields as the response of the REST route `GET /session/:id` */
function shownSession(view: SessionView): JsonObject {
  const { device, ...session } = describeSession(view);
  const { udid, name, platform } = device ?? {};
  return { ...session, device: device === null ? null : { udid, name, platform } };
}

/**
 * Returns the functions that MCP tools call for an agent. Their results have the shape of the REST responses (contract
 * 12).
 */
export function agentLab({ services, reads }: Pick<HttpContext, 'services' | 'reads'>): AgentLab {
  const { devices, leases, sessions, node } = services;
  const { sessionRecordings } = services.modules.recordings.offers;
  return {
    devices: (caller) => inTurns(mapped(devices.read(caller), describeDevice)),
    lease: async ({ caller, signal }, input) => {
      // Leave out the lease token: the agent's own sessions can use the phone without it, and a model should not see
      // secrets.
      const { lease } = await leaseInTurn(services, ofThisServer(caller), input, signal);
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
      const picture = await sessionRecordings.of(caller, id).picture(at);
      if (picture !== null) sessionRecordings.viewed(caller, id);
      return picture;
    },
    webDriver: () => services.webDriver.ofAgents(),
  };

  /** Collects the items of a list in turns, so that other requests run in between. */
  async function inTurns<T>(items: Iterable<T | undefined>): Promise<T[]> {
    return (await reads.turns.all(items)).filter((item) => item !== undefined);
  }

  /**
   * Refuses lease changes if this server is a node, because the hub manages the leases of a node's phones (contract
   * 8.3).
   */
  function ofThisServer<T>(caller: T): T {
    if (node !== null) throw new Refusal('managed_by_hub', 'managed by the hub of this node');
    return caller;
  }
}
