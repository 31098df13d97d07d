import type { AuditEvent, AuditStore, Clock } from './ports.ts';
import type { Caller } from './principal.ts';
import type { RequestOrigin } from './request-origin.ts';

/** Events of the service itself: start-up, a command on the host. */
export const LOCAL_ORIGIN: RequestOrigin = { address: null, requestId: null };

/** The fields a row takes from an origin; spreading one would miss what it works out lazily. */
export function origin({ address, requestId }: RequestOrigin): Pick<AuditEvent, 'address' | 'requestId'> {
  return { address, requestId };
}

type Details = Partial<Omit<AuditEvent, 'event'>>;

/**
 * Writes the audit trail. `record` joins the transaction of the change it tells of. `note` is for what changed
 * nothing (refusals, failed sign-ins): rows wait in memory for at most a second, so that a flood of bad requests
 * costs no write each, and beyond a bound they are counted instead of kept.
 */
export class Audit {
  readonly #store: AuditStore;
  readonly #clock: Clock;
  #waiting: { event: AuditEvent; at: number }[] = [];
  #dropped = 0;

  static readonly LONGEST_QUEUE = 5_000;

  constructor(store: AuditStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  record(event: string, details: Details): void {
    this.#store.append(complete(event, details), this.#clock.now());
  }

  note(event: string, details: Details): void {
    if (this.#waiting.length < Audit.LONGEST_QUEUE) {
      this.#waiting.push({ event: complete(event, details), at: this.#clock.now() });
    } else {
      this.#dropped += 1;
    }
  }

  /** True when `flush` has something to write. */
  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  /** Writes what waits; call it inside a transaction. Throws what the store throws and then keeps the rows. */
  flush(): void {
    for (const { event, at } of this.#waiting) this.#store.append(event, at);
    if (this.#dropped > 0) {
      const reason = `${this.#dropped} further events not kept`;
      this.#store.append(complete('sys_audit_overflow', { outcome: 'failure', reason }), this.#clock.now());
    }
  }

  /** Forgets what `flush` wrote, once its transaction is through. */
  flushed(): void {
    this.#waiting = [];
    this.#dropped = 0;
  }
}

function complete(event: string, details: Details): AuditEvent {
  return {
    event,
    outcome: details.outcome ?? 'success',
    actor: details.actor ?? null,
    target: details.target ?? null,
    address: details.address ?? null,
    requestId: details.requestId ?? null,
    reason: details.reason ?? null,
  };
}

/** Actor and origin of what a caller did. */
export function actorOf(caller: Caller): Pick<AuditEvent, 'actor' | 'address' | 'requestId'> {
  return { actor: caller.account.id, ...origin(caller.from) };
}

/** The credential a caller came with, for rows about what was made with it. */
export function credentialOf({ credential }: Caller): string {
  return credential.kind === 'none' ? 'sign-in turned off' : `${credential.kind} ${credential.id}`;
}
