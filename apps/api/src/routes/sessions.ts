import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { LoggedCommand, SessionView } from '@svc/device-lab';
import { instant, JSON_TYPE, jsonArray, mapped } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

const USUAL_PAGE = 100;
const LARGEST_PAGE = 500;
const LARGEST_LOG = 2_000;

/** Registers the routes for driver sessions and their command logs (contract 2, 3.4). */
export function sessionRoutes(api: App, { services: { sessions }, reads }: HttpContext): void {
  handle(api, routes.listSessions, async (request, reply) => {
    const {
      caller,
      query: { limit, ...filter },
    } = request;
    const page = { ...filter, limit: Math.min(LARGEST_PAGE, Number(limit ?? USUAL_PAGE)) };
    const views = mapped(sessions.read(caller, page), describeSession);
    return await reads.sendList({ request, reply }, routes.listSessions, views);
  });

  handle(api, routes.session, ({ caller, params }) => describeSession(sessions.byId(caller, params.id)));

  handle(api, routes.sessionLog, async (request, reply) => {
    const {
      caller,
      params: { id },
      query,
    } = request;
    const after = Number(query.after ?? 0);
    const limit = Math.min(LARGEST_LOG, Number(query.limit ?? LARGEST_LOG));
    sessions.byId(caller, id);
    const rows = () => mapped(sessions.commands(caller, id, { after, limit }), describeLogRow);
    const refusal = (now: Caller) => sessions.refusal(now, id);
    return await reads.send(request, reply, {
      type: JSON_TYPE,
      texts: () => jsonArray(rows()),
      refusal,
    });
  });

  handle(api, routes.endSession, ({ caller, params }) => sessions.end(caller, params.id), {
    authorizeResource: (caller, { id }) => void sessions.byId(caller, id),
  });
}

export function describeLogRow(row: LoggedCommand) {
  return { ...row, at: instant(row.at) };
}

/** @returns a session in the shape of `GET /session/:id` */
export function describeSession({ session, owner }: SessionView) {
  return {
    id: session.id,
    name: session.name,
    status: session.status,
    owner,
    device: session.device,
    node: session.node,
    startedAt: instant(session.startedAt),
    endedAt: instant(session.endedAt),
    failureCategory: session.failureCategory,
    failureReason: session.failureReason,
    tags: session.tags,
    healingTiers: session.healingTiers,
    startedBy: session.startedBy,
    startedByUrl: session.startedByUrl ?? null,
    capabilities: session.capabilities,
    clean: session.clean === undefined ? null : { ...session.clean, at: instant(session.clean.at) },
  };
}
