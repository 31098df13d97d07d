import type { AuditCheck, Caller, Clock } from '@svc/auth-core';
import type { HandlerTools } from '@svc/module';
import type { AuditTrail } from './audit-trail.ts';

type Turns = Pick<HandlerTools['turns'], 'run'>;
type Verified = AuditCheck & { readonly at: number };

/**
 * Verifies the hash chain of the audit trail in steps, so that the server can serve requests in between. Callers that
 * request a verification while one is running get its result.
 */
export class AuditVerification {
  readonly #trail: AuditTrail;
  readonly #clock: Clock;
  #running: Promise<Verified> | null = null;

  constructor(trail: AuditTrail, clock: Clock) {
    this.#trail = trail;
    this.#clock = clock;
  }

  /** Verifies the audit trail. The result's `at` is the time when the verification began. */
  run(caller: Caller, turns: Turns): Promise<Verified> {
    const steps = this.#trail.verify(caller);
    this.#running ??= this.#run(steps, turns).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(steps: Generator<number, AuditCheck, void>, turns: Turns): Promise<Verified> {
    const at = this.#clock.now();
    for (;;) {
      const step = await turns.run(() => steps.next());
      if (step.done === true) return { ...step.value, at };
    }
  }
}
