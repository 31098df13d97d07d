import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Log } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { DriverSessions, RecentRefusals, ReportOnlyStats } from '@svc/device-lab';

/** A command that may not reach its session. */
interface CommandRefusal {
  readonly req: IncomingMessage;
  /** Undefined: it could not be decoded. */
  readonly sessionId: string | undefined;
  /** Account id, `no credentials` or `invalid credentials`. */
  readonly caller: string;
  readonly isKnown: boolean;
  readonly reason: string;
}

export type ReportRefusal = (refusal: CommandRefusal) => void;

interface ReportOptions {
  readonly log: Log;
  readonly addressOf: (req: IncomingMessage) => string;
}

/**
 * Writes the one warning of a refusal (contract 7) and keeps its reason for `GET /explain`. The answer itself carries
 * no id, since it must be what the automation server answers; the caller's own id is used where it sent one.
 */
export function reportRefusals({
  log,
  addressOf,
  refusals,
}: ReportOptions & { refusals: RecentRefusals }): ReportRefusal {
  return ({ req, sessionId, caller, isKnown, reason }) => {
    const requestId = requestIdOf(req);
    log.warn(`Command refused: ${describeCommand(req, sessionId, caller)}: ${reason}`, {
      request: requestId,
    });
    refusals.note({
      requestId,
      kind: 'command',
      method: req.method ?? '',
      path: printable(pathOf(req)),
      status: 404,
      error: 'invalid session id',
      reason,
      caller: isKnown ? caller : null,
      address: addressOf(req),
      sessionId: sessionId === undefined ? null : printable(sessionId),
    });
  };
}

/**
 * Counts what would be refused; the log has a line for each client and session, not for each command. A session
 * nobody knows is unknown to the automation server as well: nothing would change.
 */
export function countRefusals({
  log,
  addressOf,
  reportOnlyStats,
  sessions,
}: ReportOptions & {
  reportOnlyStats: ReportOnlyStats;
  sessions: Pick<DriverSessions, 'ownerOf'>;
}): ReportRefusal {
  return ({ req, sessionId, caller, reason }) => {
    if (sessionId === undefined || sessions.ownerOf(sessionId) === undefined) return;
    const userAgent = req.headers['user-agent'] ?? null;
    const isNew = reportOnlyStats.note({ address: addressOf(req), userAgent, sessionId, reason });
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
  return (req.url ?? '').split('?', 1)[0] ?? '';
}

const LONGEST = 256;

/** A sender's text may not write lines of its own into the log. */
function printable(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  return cut.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As below `/svc/api` (contract 1). */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[HEADERS.requestId];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
