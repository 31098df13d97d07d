import type { IncomingMessage } from 'node:http';
import type { CommandCallers, Log } from '@svc/auth-core';
import type { DriverSessions, ReportOnlyStats } from '@svc/device-lab';
import type { BoundedLines } from '@svc/module';
import { CommandCheck, type Verdict } from './command-check.ts';
import type { FromHub } from './nodes/from-hub.ts';
import { countRefusals } from './refusals.ts';
import type { GateOrigin, OriginOf } from './request-origin.ts';
import type { Targets } from './target.ts';

interface ReportOptions {
  readonly reportOnlyStats: ReportOnlyStats;
  readonly callers: CommandCallers;
  readonly sessions: Pick<DriverSessions, 'ownerOf' | 'findIgnoringCase'>;
  readonly targets: Targets;
  readonly originOf: OriginOf;
  readonly fromHub?: FromHub | null;
  readonly log: Log;
  readonly failures: Pick<BoundedLines, 'write'>;
}

/**
 * Checks commands in report-only mode, in which none is refused (`SVC_COMMAND_AUTH_REPORT_ONLY`). The methods return a
 * promise only if the check is asynchronous. It resolves when the check is done and never rejects.
 */
export class CommandReport {
  readonly #options: ReportOptions;
  readonly #check: CommandCheck;

  constructor(options: ReportOptions) {
    const { callers, sessions, fromHub = null, failures } = options;
    this.#options = options;
    this.#check = new CommandCheck({ callers, sessions, report: countRefusals(options), fromHub, failures });
  }

  command(req: IncomingMessage, sessionId: string | undefined): Promise<void> | undefined {
    if (sessionId === undefined || this.#options.sessions.ownerOf(sessionId) === undefined) return undefined;
    this.#options.reportOnlyStats.checked++;
    const from = this.#options.originOf(req);
    const verdict = this.#check.check(req, sessionId, from);
    const settle = (settled: Verdict) => {
      if (settled === 'unverified') this.#unverified(req, sessionId, from);
    };
    if (verdict instanceof Promise) return verdict.then(settle);
    settle(verdict);
    return undefined;
  }

  /** Checks an upgrade to a WebSocket of a session. Ignores other upgrades. */
  socket(req: IncomingMessage): Promise<void> | undefined {
    const target = this.#options.targets.classifySocket(req.url ?? '');
    if (target.kind !== 'session') return undefined;
    return this.command(req, this.#options.sessions.findIgnoringCase(target.sessionId));
  }

  #unverified(req: IncomingMessage, sessionId: string, { address }: GateOrigin): void {
    const { reportOnlyStats } = this.#options;
    const userAgent = req.headers['user-agent'] ?? null;
    reportOnlyStats.note({
      address,
      userAgent,
      sessionId,
      reason: 'the check could not run',
    });
  }
}
