import type { Caller, RequestOrigin } from '@svc/auth-core';
import { AccessTrail, type SessionOwnership } from './access-trail.ts';
import { CreateRefusals } from './create-refusals.ts';
import type { RecordingGateOptions } from './gate-options.ts';
import type { GateParts } from './gate-parts.ts';
import { type ReportRefusal, reportRefusals } from './refusals.ts';
import type { GateOrigin } from './request-origin.ts';
import type { WebDriverError } from './responses.ts';
import type { RequestTracing } from './tracing.ts';

/**
 * Records sessions in the audit trail. Records refused requests in the audit trail, in the log, and for `GET /explain`.
 */
export class GateRecords {
  readonly trail: AccessTrail;
  /** Records a refused command. */
  readonly report: ReportRefusal;
  readonly #createRefusals: CreateRefusals;
  readonly #tracing: RequestTracing | null;

  constructor(
    { audit, refusals, lab, tracing }: RecordingGateOptions,
    { warnings, targets }: Pick<GateParts, 'warnings' | 'targets'>,
  ) {
    const trail = new AccessTrail(audit);
    lab.onEnd(({ id }) => trail.forget(id));
    this.trail = trail;
    this.report = reportRefusals({ warnings, refusals, trail });
    const path = `${targets.basePath}/session`;
    this.#createRefusals = new CreateRefusals({ warnings, refusals, trail, path });
    this.#tracing = tracing ?? null;
  }

  /** Records a new session. `owner.caller` is null if no credential came with the create-session request. */
  sessionCreated(sessionId: string, owner: SessionOwnership, from: RequestOrigin): void {
    this.trail.created(sessionId, owner, from);
    this.#tracing?.created(from, sessionId);
  }

  /**
   * Records a create-session request that got an error response. `waitedMs` is set if the request waited for a phone.
   */
  createFailed(error: WebDriverError, caller: Caller | null, from: GateOrigin, waitedMs?: number): void {
    this.#createRefusals.record({ error, caller, from, waitedMs });
  }
}
