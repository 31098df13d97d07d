import type { Caller } from '@svc/auth-core';
import type { RecentRefusals } from '@svc/device-lab';
import type { BoundedLines } from '@svc/module';
import type { AccessTrail } from './access-trail.ts';
import type { GateOrigin } from './request-origin.ts';
import { AccessDenied, NoPhoneFits, type WebDriverError, WrongPhoneTaken } from './responses.ts';

/** Create-session request that got an error response. */
export interface FailedCreate {
  readonly error: WebDriverError;
  /**
   * Sender of the create-session request. Null if the request had no valid credentials, or failed before they were
   * checked.
   */
  readonly caller: Caller | null;
  readonly from: GateOrigin;
  /** Time (ms) that the create-session request waited for a phone. Absent if it did not wait. */
  readonly waitedMs?: number | undefined;
}

interface CreateRefusalsOptions {
  readonly warnings: Pick<BoundedLines, 'write'>;
  readonly refusals: Pick<RecentRefusals, 'note'>;
  readonly trail: AccessTrail;
  /** Path of create-session requests: the base path and `/session`. */
  readonly path: string;
}

/**
 * Reports a failed create-session request: a line in the log, the precise reason for `GET /explain`, and a row in the
 * audit trail.
 */
export class CreateRefusals {
  readonly #options: CreateRefusalsOptions;

  constructor(options: CreateRefusalsOptions) {
    this.#options = options;
  }

  record({ error, caller, from, waitedMs }: FailedCreate): void {
    const { warnings, refusals, trail, path } = this.#options;
    const { requestId, address } = from;
    const denied = error instanceof AccessDenied;
    const by = (denied ? error.caller : caller)?.account.id ?? null;
    const waited = waitedMs === undefined ? '' : ` (after ${Math.round(waitedMs / 1000)} s in the queue)`;
    const reason = `${denied ? error.reason : error.message}${waited}`;
    const line = `Session create refused: ${reason}`;
    warnings.write(from.sender, line, { caller: by ?? 'none', request: requestId });
    refusals.note({
      requestId,
      kind: 'create',
      method: 'POST',
      path,
      status: error.w3cStatus,
      error: error.error,
      reason: error instanceof NoPhoneFits ? `${reason}. ${error.detail}` : reason,
      caller: by,
      address,
      sessionId: null,
    });
    if (denied) trail.refused({ from, route: 'create', actor: by, sessionId: null, reason });
    else if (error instanceof WrongPhoneTaken) trail.wrongPhone(by, error, from);
    else trail.notCreated(by, reason, from);
  }
}
