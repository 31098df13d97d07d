import type { IncomingMessage } from 'node:http';
import type { Log } from '@svc/auth-core';
import type { DriverSessions, RecentRefusals, ReportOnlyStats } from '@svc/device-lab';
import type { BoundedLines } from '@svc/module';
import type { AccessTrail } from './access-trail.ts';
import { printable } from './printable.ts';
import type { GateOrigin } from './request-origin.ts';
import { loggedPath } from './target.ts';

/** Command that the gate has refused. */
export interface CommandRefusal {
  readonly req: IncomingMessage;
  readonly from: GateOrigin;
  /** Id of the session, or undefined if the id in the path could not be decoded. */
  readonly sessionId: string | undefined;
  /** Id of the caller's account. If there is no caller, the text `no credentials` or `invalid credentials`. */
  readonly caller: string;
  readonly isKnown: boolean;
  readonly reason: string;
}

export type ReportRefusal = (refusal: CommandRefusal) => void;

/**
 * Returns a function that reports a refused command: it logs one warning (contract 7). On a server with a database, it
 * also stores the reason for `GET /explain` and adds a row to the audit trail. The client does not get the reason.
 */
export function reportRefusals({
  warnings,
  refusals,
  trail,
}: {
  warnings: Pick<BoundedLines, 'write'>;
  /**
   * Stores recent refusals for `GET /explain`. This field and `trail` are absent on a further entrance of a grid, which
   * is a server without a database.
   */
  refusals?: Pick<RecentRefusals, 'note'>;
  trail?: Pick<AccessTrail, 'refused'>;
}): ReportRefusal {
  return ({ req, from, sessionId, caller, isKnown, reason }) => {
    const { requestId, address } = from;
    const line = `Command refused: ${describeCommand(req, sessionId, caller)}: ${reason}`;
    warnings.write(from.sender, line, { request: requestId });
    refusals?.note({
      requestId,
      kind: 'command',
      method: req.method ?? '',
      path: printable(pathOf(req)),
      status: 404,
      error: 'invalid session id',
      reason,
      caller: isKnown ? caller : null,
      address,
      sessionId: sessionId === undefined ? null : printable(sessionId),
    });
    const route = req.headers.upgrade === undefined ? 'command' : 'session socket';
    trail?.refused({ from, route, actor: isKnown ? caller : null, sessionId: sessionId ?? null, reason });
  };
}

/**
 * Returns a function for report-only mode. It counts each command that would be refused, and logs one line for each
 * client and session. Commands of unknown sessions do not count, because the automation server refuses them anyway.
 */
export function countRefusals({
  log,
  reportOnlyStats,
  sessions,
}: {
  log: Log;
  reportOnlyStats: ReportOnlyStats;
  sessions: Pick<DriverSessions, 'ownerOf'>;
}): ReportRefusal {
  return ({ req, from, sessionId, caller, reason }) => {
    if (sessionId === undefined || sessions.ownerOf(sessionId) === undefined) return;
    const userAgent = req.headers['user-agent'] ?? null;
    const isNew = reportOnlyStats.note({ address: from.address, userAgent, sessionId, reason });
    if (isNew) log.warn(`Command would be refused: ${describeCommand(req, sessionId, caller)}: ${reason}`);
  };
}

export function describeCommand(
  req: IncomingMessage,
  sessionId: string | undefined,
  caller?: string,
): string {
  const who = caller === undefined ? '' : `, caller ${caller}`;
  return `${req.method} ${printable(pathOf(req))} (session ${printable(sessionId ?? 'undecodable')}${who})`;
}

function pathOf(req: IncomingMessage): string {
  return loggedPath(req.url ?? '');
}
