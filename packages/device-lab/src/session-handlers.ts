import type { Caller } from '@svc/auth-core';
import { type Handlers, instant, JSON_TYPE, jsonArray, mapped } from '@svc/module';
import type { LoggedCommand } from './command-log/entry.ts';
import type { SessionDirectory } from './session-directory.ts';
import type { SessionView } from './session-view.ts';

const USUAL_PAGE = 100;
const LARGEST_PAGE = 500;
const LARGEST_LOG = 2_000;

/** Handlers of driver sessions and their command logs (contract 2, 3.4). */
export function sessionHandlers(sessions: SessionDirectory): Handlers {
  return {
    listSessions: {
      list: ({ caller, query: { limit, ...filter } }) => {
        const page = { ...filter, limit: Math.min(LARGEST_PAGE, Number(limit ?? USUAL_PAGE)) };
        return mapped(sessions.read(caller, page), describeSession);
      },
    },
    session: ({ caller, params }) => describeSession(sessions.byId(caller, params.id)),
    sessionLog: {
      large: ({ caller, params: { id }, query }) => {
        const after = Number(query.after ?? 0);
        const limit = Math.min(LARGEST_LOG, Number(query.limit ?? LARGEST_LOG));
        sessions.byId(caller, id);
        const rows = () => mapped(sessions.commands(caller, id, { after, limit }), describeLogRow);
        return {
          type: JSON_TYPE,
          texts: () => jsonArray(rows()),
          refusal: (now: Caller) => sessions.refusal(now, id),
        };
      },
    },
    endSession: {
      authorize: (caller, { id }) => void sessions.byId(caller, id),
      answer: ({ caller, params }) => sessions.end(caller, params.id),
    },
  };
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
