import { setImmediate as otherWork } from 'node:timers/promises';
import type { AuditCheck, AuditTrail, Caller, Clock } from '@svc/auth-core';

type Verified = AuditCheck & { readonly at: number };

/**
 * Verifies the chain of the audit trail while the server serves requests. Callers that ask meanwhile get the same
 * result.
 */
export class AuditVerification {
  readonly #trail: AuditTrail;
  readonly #clock: Clock;
  #running: Promise<Verified> | null = null;

  constructor(trail: AuditTrail, clock: Clock) {
    this.#trail = trail;
    this.#clock = clock;
  }

  /** The result's `at` is the time when the verification began. */
  run(caller: Caller): Promise<Verified> {
    const steps = this.#trail.verify(caller);
    this.#running ??= this.#run(steps).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(steps: Generator<number, AuditCheck, void>): Promise<Verified> {
    const at = this.#clock.now();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return { ...step.value, at };
      await otherWork();
    }
  }
}
