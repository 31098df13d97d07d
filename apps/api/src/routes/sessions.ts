import { actorOf, type Caller, isListed, isOverrideAdmin, Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { DriverSession } from '@svc/device-lab';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import type { Services } from '../services.ts';
import { instant } from '../wire.ts';

const USUAL_PAGE = 100;
const LARGEST_PAGE = 500;
const LARGEST_LOG = 2_000;

/**
 * Driver sessions and their command log. A caller sees their own, an override admin everyone's, those without owner
 * included (contract 3.4); what is not seen is unknown.
 */
export function sessionRoutes(api: App, { services }: HttpContext): void {
  const { lab } = services;

  handle(api, routes.listSessions, ({ caller, query }) => {
    const limit = Math.min(LARGEST_PAGE, Number(query.limit ?? USUAL_PAGE));
    const only = isOverrideAdmin(caller) ? {} : { ownerId: caller.account.id };
    return lab.sessions.list({ ...only, limit }).map((session) => describe(session, services));
  });

  handle(api, routes.session, ({ caller, params }) =>
    describe(seenBy(caller, params.id, services), services),
  );

  handle(api, routes.sessionLog, ({ caller, params, query }) => {
    const { id } = seenBy(caller, params.id, services);
    const limit = Math.min(LARGEST_LOG, Number(query.limit ?? LARGEST_LOG));
    const rows = lab.commandLog.read(id, Number(query.after ?? 0), limit);
    return rows.map((row) => ({ ...row, at: instant(row.at) }));
  });

  handle(api, routes.endSession, ({ caller, params }) => end(caller, params.id, services));
}

/** Throws `not_found` for a session that is hidden from the caller as for one nobody knows. */
function seenBy(caller: Caller, id: string, { lab }: Services): DriverSession {
  const session = lab.sessions.byId(id);
  if (session === undefined) throw new Refusal('not_found', 'unknown session');
  if (!isListed(caller, session.ownerId)) throw new Refusal('not_found', 'session of someone else');
  return session;
}

/** Whoever sees a session may end it; one that is over already stays as it is. */
async function end(caller: Caller, id: string, services: Services): Promise<void> {
  const session = seenBy(caller, id, services);
  if (session.endedAt !== null) return;
  const isOwner = session.ownerId === caller.account.id;
  await services.lab.endSession(id, { category: null, reason: isOwner ? null : 'ended by an administrator' });
  services.stores.transaction((tx) =>
    services.audit.record(tx, 'session_ended', { ...actorOf(caller), target: id, reason: 'over the API' }),
  );
}

/** An owner that is gone is nobody: the record outlives the account. */
function ownerOf({ ownerId }: DriverSession, { stores }: Services) {
  const account = ownerId === null ? undefined : stores.accounts.byId(ownerId);
  return account === undefined ? null : { id: account.id, email: account.email };
}

function describe(session: DriverSession, services: Services) {
  return {
    id: session.id,
    name: session.name,
    status: session.status,
    owner: ownerOf(session, services),
    device: session.device,
    node: session.node,
    startedAt: instant(session.startedAt),
    endedAt: instant(session.endedAt),
    failureCategory: session.failureCategory,
    failureReason: session.failureReason,
    tags: [...session.tags],
    healingTiers: session.healingTiers === null ? null : [...session.healingTiers],
    capabilities: { ...session.capabilities },
  };
}
