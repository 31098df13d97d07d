import type { AuditCheck, AuditTrail, Caller, Clock } from '@svc/auth-core';
import type { WorkTurns } from '../reads/work-turns.ts';

type Verified = AuditCheck & { readonly at: number };

/**
 * Verifies the hash chain of the audit trail in steps, so that the server can serve requests in between. Callers that
 * request a verification while one is running get its result.
 */
export class AuditVerification {
  readonly #trail: AuditTrail;
  readonly #clock: Clock;
  #running: Promise<Verified> | null = null;

  readonly #turns: WorkTurns;

  constructor(trail: AuditTrail, clock: Clock, turns: WorkTurns) {
    this.#trail = trail;
    this.#turns = turns;
    this.#clock = clock;
  }

  /** Verifies the audit trail. The result's `at` is the time when the verification began. */
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
      const step = await this.#turns.run(() => steps.next());
      if (step.done === true) return { ...step.value, at };
    }
  }
}
