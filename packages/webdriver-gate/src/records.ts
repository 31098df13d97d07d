import type { Caller, RequestOrigin } from '@svc/auth-core';
import type { RecentRefusals } from '@svc/device-lab';
import type { BoundedLines } from '@svc/module';
import { AccessTrail, type SessionOwnership } from './access-trail.ts';
import type { RecordingGateOptions } from './gate-options.ts';
import type { GateParts } from './gate-parts.ts';
import { type ReportRefusal, reportRefusals } from './refusals.ts';
import type { GateOrigin } from './request-origin.ts';
import { AccessDenied, NoPhoneFits, type WebDriverError, WrongPhoneTaken } from './responses.ts';
import type { RequestTracing } from './tracing.ts';

/**
 * Records sessions in the audit trail. Records refused requests in the audit trail, in the log, and for `GET /explain`.
 */
export class GateRecords {
  readonly trail: AccessTrail;
  /** Records a refused command. */
  readonly report: ReportRefusal;
  readonly #warnings: Pick<BoundedLines, 'write'>;
  readonly #refusals: Pick<RecentRefusals, 'note'>;
  readonly #tracing: RequestTracing | null;
  /** Path of create-session requests: the base path and `/session`. */
  readonly #path: string;

  constructor(
    { audit, refusals, lab, tracing }: RecordingGateOptions,
    { warnings, targets }: Pick<GateParts, 'warnings' | 'targets'>,
  ) {
    const trail = new AccessTrail(audit);
    lab.onEnd(({ id }) => trail.forget(id));
    this.trail = trail;
    this.report = reportRefusals({ warnings, refusals, trail });
    this.#warnings = warnings;
    this.#refusals = refusals;
    this.#tracing = tracing ?? null;
    this.#path = `${targets.basePath}/session`;
  }

  /** Records a new session. `owner.caller` is null if no credential came with the create-session request. */
  sessionCreated(sessionId: string, owner: SessionOwnership, from: RequestOrigin): void {
    this.trail.created(sessionId, owner, from);
    this.#tracing?.created(from, sessionId);
  }

  /**
   * Records a create-session request that got an error response: a line in the log, the precise reason for `GET
   * /explain`, and a row in the audit trail.
   * @param caller null if the request had no valid credentials, or failed before they were checked
   * @param waitedMs time that the request waited for a phone; absent if it did not wait
   */
  createFailed(error: WebDriverError, caller: Caller | null, from: GateOrigin, waitedMs?: number): void {
    const { requestId, address } = from;
    const denied = error instanceof AccessDenied;
    const by = (denied ? error.caller : caller)?.account.id ?? null;
    const waited = waitedMs === undefined ? '' : ` (after ${Math.round(waitedMs / 1000)} s in the queue)`;
    const reason = `${denied ? error.reason : error.message}${waited}`;
    const line = `Session create refused: ${reason}`;
    this.#warnings.write(from.sender, line, { caller: by ?? 'none', request: requestId });
    this.#refusals.note({
      requestId,
      kind: 'create',
      method: 'POST',
      path: this.#path,
      status: error.w3cStatus,
      error: error.error,
      reason: error instanceof NoPhoneFits ? `${reason}. ${error.detail}` : reason,
      caller: by,
      address,
      sessionId: null,
    });
    if (denied) this.trail.refused({ from, route: 'create', actor: by, sessionId: null, reason });
    else if (error instanceof WrongPhoneTaken) this.trail.wrongPhone(by, error, from);
    else this.trail.notCreated(by, reason, from);
  }
}
