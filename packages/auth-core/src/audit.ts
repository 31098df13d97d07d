import type { AuditEntry, AuditEvent, Clock, Random, Stores } from './ports.ts';
import type { Caller } from './principal.ts';
import type { RequestOrigin } from './request-origin.ts';

/** Events of the service itself: start-up, a command on the host. */
export const LOCAL_ORIGIN: RequestOrigin = { address: null, requestId: null };

/** The fields a row takes from an origin; spreading one would miss what it works out lazily. */
export function origin({ address, requestId }: RequestOrigin): Pick<AuditEvent, 'address' | 'requestId'> {
  return { address, requestId };
}

type Details = Partial<Omit<AuditEvent, 'event'>>;
type Trail = Pick<Stores, 'audit' | 'transaction' | 'afterTransaction'>;

const SECOND_MS = 1000;

/**
 * Writes the audit trail. `record` joins the transaction of the change it tells of. `note` is for what changed
 * nothing (refusals, failed sign-ins): it writes at once too, and stays when the transaction around it fails, but only
 * so many a second. Beyond that, or while the store takes nothing, rows wait in memory for `flush`, so that a flood of
 * bad requests costs no write each; and beyond a bound they are counted instead of kept.
 */
export class Audit {
  readonly #stores: Trail;
  readonly #clock: Clock;
  readonly #random: Random;
  #second = { began: 0, notes: 0 };
  #waiting: AuditEntry[] = [];
  #dropped = 0;

  static readonly NOTES_A_SECOND = 50;
  static readonly LONGEST_QUEUE = 5_000;

  constructor(stores: Trail, clock: Clock, random: Random) {
    this.#stores = stores;
    this.#clock = clock;
    this.#random = random;
  }

  record(event: string, details: Details): void {
    this.#stores.audit.append(this.#entry(event, details));
  }

  recordBestEffort(event: string, details: Details): void {
    const entry = this.#entry(event, details);
    this.#stores.afterTransaction(() => {
      if (!this.#written(entry)) this.#keep(entry);
    });
  }

  /** True when `flush` has something to write. */
  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  /** Writes what waits, in one transaction of its own. Throws what the store throws and then keeps the rows. */
  flush(): void {
    if (!this.pending) return;
    this.#stores.transaction(() => {
      for (const entry of this.#waiting) this.#stores.audit.append(entry);
      if (this.#dropped > 0) {
        const reason = `${this.#dropped} further events not kept`;
        this.record('sys_audit_overflow', { outcome: 'failure', reason });
      }
    });
    this.#waiting = [];
    this.#dropped = 0;
  }

  /** Whoever comes while others wait queues behind them: rows keep their order. */
  #written(entry: AuditEntry): boolean {
    if (this.pending || !this.#mayWrite(entry.at)) return false;
    try {
      this.#stores.audit.append(entry);
      return true;
    } catch {
      // `flush` meets the same failure, and tells of it.
      return false;
    }
  }

  #mayWrite(now: number): boolean {
    const { began } = this.#second;
    // Before it: the clock was set back.
    if (now < began || now >= began + SECOND_MS) this.#second = { began: now, notes: 0 };
    this.#second.notes += 1;
    return this.#second.notes <= Audit.NOTES_A_SECOND;
  }

  #keep(entry: AuditEntry): void {
    if (this.#waiting.length < Audit.LONGEST_QUEUE) this.#waiting.push(entry);
    else this.#dropped += 1;
  }

  #entry(event: string, details: Details): AuditEntry {
    return {
      id: this.#random.uuid(),
      at: this.#clock.now(),
      event,
      outcome: details.outcome ?? 'success',
      actor: details.actor ?? null,
      target: details.target ?? null,
      address: details.address ?? null,
      requestId: details.requestId ?? null,
      reason: details.reason ?? null,
    };
  }
}

/** Actor and origin of what a caller did. */
export function actorOf(caller: Caller): Pick<AuditEvent, 'actor' | 'address' | 'requestId'> {
  return { actor: caller.account.id, ...origin(caller.from) };
}

/** The credential a caller came with, for rows about what was made with it. */
export function credentialOf({ credential }: Caller): string {
  return credential.kind === 'none' ? 'sign-in turned off' : `${credential.kind} ${credential.id}`;
}
