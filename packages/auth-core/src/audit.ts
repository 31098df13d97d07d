import type { AuditEntry, AuditEvent, Clock, Random, Stores, StoreTransaction } from './ports/index.ts';
import { type Caller, NO_CREDENTIAL } from './principal.ts';
import { type CountedRefusal, RefusalCounter } from './refusal-counter.ts';
import type { RequestOrigin } from './request-origin.ts';

/** Events of the service itself: start-up, a command on the host. */
export const LOCAL_ORIGIN: RequestOrigin = { address: null, peer: null, requestId: null };

/** Actor and origin of what a command on the host did: whoever may write the data folder needs no account. */
export const BY_COMMAND_LINE: Pick<AuditEvent, 'actor'> & RequestOrigin = {
  actor: 'command line',
  ...LOCAL_ORIGIN,
};

/** A plain copy of an origin, for a row; spreading the origin itself would miss what it works out lazily. */
export function origin({ address, peer, sender, requestId }: RequestOrigin): RequestOrigin {
  return { address, peer, sender, requestId };
}

/** A stranger's refused request, where the event alone says what was refused. */
export function refusedFrom(from: RequestOrigin): Omit<CountedRefusal, 'reason'> {
  return { actor: null, route: null, ...origin(from) };
}

type Details = Partial<Omit<AuditEvent, 'event'>>;
type Trail = Pick<Stores, 'transaction' | 'afterTransaction' | 'audit'>;

/** Somebody who watches the trail as it is written. */
export interface AuditWatcher {
  /** False: rows need not be told. */
  readonly wanted: boolean;
  /** The row is in the trail. Returns at once. */
  written(row: AuditEntry): void;
}

type AuditTransaction = Pick<StoreTransaction, 'audit'>;

const SECOND_MS = 1000;

/**
 * Writes the audit trail. `record` joins the transaction of the change it reports. `recordRefusal` is for refused
 * requests, which are counted, and `recordBestEffort` for what else changed nothing: both write in a transaction of
 * their own, at once or as soon as the one around them is over, so that the row stays when that one fails, and never
 * throw; but only so many a second. Beyond that, or while the store takes nothing, rows wait in memory for `flush`; and
 * beyond a bound they are counted instead of kept.
 */
export class Audit {
  readonly #stores: Trail;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #refusals = new RefusalCounter();
  #watcher: AuditWatcher | undefined;
  #second = { began: 0, notes: 0 };
  readonly #afterwards: (readonly [event: string, details: Details])[] = [];
  #waiting: AuditEntry[] = [];
  #dropped = 0;

  static readonly NOTES_A_SECOND = 50;
  static readonly LONGEST_QUEUE = 5_000;

  constructor(stores: Trail, clock: Clock, random: Random) {
    this.#stores = stores;
    this.#clock = clock;
    this.#random = random;
  }

  watch(watcher: AuditWatcher): void {
    this.#watcher = watcher;
  }

  record(tx: AuditTransaction, event: string, details: Details): void {
    const entry = this.#entry(event, details);
    tx.audit.append(entry);
    if (this.#watcher?.wanted === true) this.#stores.afterTransaction(() => this.#tellIfCommitted(entry));
  }

  recordBestEffort(event: string, details: Details): void {
    this.#countsToRows(false);
    this.#put(this.#entry(event, details));
  }

  /**
   * As `recordBestEffort`, once this turn of the event loop is over: a request that goes well does not wait until the
   * row of it is on the disk. The row has the time of then, since rows of this turn come before it.
   */
  recordAfterwards(event: string, details: Details): void {
    this.#afterwards.push([event, details]);
    if (this.#afterwards.length === 1) setImmediate(() => this.#putAfterwards());
  }

  /**
   * A refused request. The first of a caller (of a stranger: of a socket address), route, event and minute has a row
   * of its own; the others share one, which comes when the minute ends.
   */
  recordRefusal(event: string, refusal: CountedRefusal): void {
    this.#countsToRows(false);
    if (!this.#refusals.add(event, refusal, this.#clock.now())) return;
    const { actor, triedAccount = null, route, target = route, reason } = refusal;
    this.recordBestEffort(event, {
      ...origin(refusal),
      outcome: 'failure',
      actor: actor ?? triedAccount,
      target,
      reason,
    });
  }

  /** Rows that wait for `flush`. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** True when `flush` has something to write. */
  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Writes what waits, the oldest `most` of it, in one transaction of its own, with the counts of a minute that is
   * over; `closing`: also those of this one. Throws what the store throws and then keeps the rows.
   */
  flush({ closing = false, most = Number.POSITIVE_INFINITY } = {}): void {
    this.#putAfterwards();
    this.#countsToRows(closing);
    if (!this.pending) return;
    const rows = this.#waiting.slice(0, most);
    const isAll = rows.length === this.#waiting.length;
    this.#stores.transaction((tx) => {
      tx.audit.append(...rows);
      if (isAll && this.#dropped > 0) {
        const reason = `${this.#dropped} further events not kept`;
        this.record(tx, 'sys_audit_overflow', { outcome: 'failure', reason });
      }
    });
    this.#waiting = this.#waiting.slice(rows.length);
    if (isAll) this.#dropped = 0;
    for (const entry of rows) this.#tell(entry);
  }

  #countsToRows(closing: boolean): void {
    for (const { at, ...row } of this.#refusals.take(this.#clock.now(), closing))
      this.#put({ ...this.#entry(row.event, { ...row, outcome: 'failure' }), at });
  }

  #putAfterwards(): void {
    for (const [event, details] of this.#afterwards.splice(0)) this.#put(this.#entry(event, details));
  }

  #put(entry: AuditEntry): void {
    this.#stores.afterTransaction(() => {
      if (!this.#written(entry)) this.#keep(entry);
    });
  }

  /** While rows wait, later ones queue behind them: rows keep their order. */
  #written(entry: AuditEntry): boolean {
    if (this.pending || !this.#mayWrite(entry.at)) return false;
    try {
      this.#stores.transaction((tx) => tx.audit.append(entry));
    } catch {
      // `flush` meets the same failure, and reports it.
      return false;
    }
    this.#tell(entry);
    return true;
  }

  /** The change it reports may have been undone. */
  #tellIfCommitted(entry: AuditEntry): void {
    this.#tell(entry, () => this.#stores.audit.has(entry.id));
  }

  #tell(entry: AuditEntry, isWritten = () => true): void {
    if (this.#watcher?.wanted !== true) return;
    try {
      if (isWritten()) this.#watcher.written(entry);
    } catch {
      // Nobody is told then; the row, if it is there, is in the trail.
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
      peer: details.peer ?? null,
      requestId: details.requestId ?? null,
      reason: details.reason ?? null,
    };
  }
}

/** Actor and origin of what a caller did. */
export function actorOf(caller: Caller): Pick<AuditEvent, 'actor'> & RequestOrigin {
  return { actor: caller.account.id, ...origin(caller.from) };
}

/** The credential a caller came with, for rows about what was made with it. */
export function credentialOf({ credential }: Caller): string {
  return credential === NO_CREDENTIAL ? 'sign-in turned off' : `${credential.kind} ${credential.id}`;
}
