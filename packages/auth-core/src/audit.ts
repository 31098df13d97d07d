import type { AuditEntry, AuditEvent, Clock, Random, Stores, StoreTransaction } from './ports/index.ts';
import { type Caller, NO_CREDENTIAL } from './principal.ts';
import { type CountedRefusal, RefusalCounter } from './refusal-counter.ts';
import type { RequestOrigin } from './request-origin.ts';

/** Origin of events that no request causes: the start of the server, or a command on the host. */
export const LOCAL_ORIGIN: RequestOrigin = { address: null, peer: null, requestId: null };

/** Actor and origin of a command on the host. Anyone who can write to the data folder needs no account. */
export const BY_COMMAND_LINE: Pick<AuditEvent, 'actor'> & RequestOrigin = {
  actor: 'command line',
  ...LOCAL_ORIGIN,
};

/** @returns a plain copy of an origin, for a row; a spread would miss the properties that it computes lazily */
export function origin({ address, peer, sender, requestId }: RequestOrigin): RequestOrigin {
  return { address, peer, sender, requestId };
}

/** Refused request of an unauthenticated client, where the event alone says what was refused. */
export function refusedFrom(from: RequestOrigin): Omit<CountedRefusal, 'reason'> {
  return { actor: null, route: null, ...origin(from) };
}

type Details = Partial<Omit<AuditEvent, 'event'>>;
type Trail = Pick<Stores, 'transaction' | 'afterTransaction' | 'audit'>;

/** Receives each row of the trail after it is written. */
export interface AuditWatcher {
  /** If false, `written` need not be called. */
  readonly wanted: boolean;
  /** Called when the row is in the trail. Must return immediately. */
  written(row: AuditEntry): void;
}

type AuditTransaction = Pick<StoreTransaction, 'audit'>;

const SECOND_MS = 1000;

/**
 * Writes the audit trail. `record` joins the transaction of the change it reports. `recordRefusal` is for refused
 * requests, which are counted, and `recordBestEffort` is for other events that change nothing. Both write in a
 * transaction of their own, immediately or as soon as the open transaction is over, so that the row remains if that one
 * fails. They never throw, and they write a limited number of rows per second. Beyond that number, or while the store
 * fails, rows wait in memory for `flush`. Beyond `LONGEST_QUEUE`, rows are counted instead of kept.
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
   * As `recordBestEffort`, after this turn of the event loop, so that a successful request does not wait for the disk.
   * The row has the time of its writing, because the rows of this turn precede it.
   */
  recordAfterwards(event: string, details: Details): void {
    this.#afterwards.push([event, details]);
    if (this.#afterwards.length === 1) setImmediate(() => this.#putAfterwards());
  }

  /**
   * Records a refused request. The first refusal of each caller, route, event and minute gets a row of its own. The
   * others share one row, which is written when the minute ends. Unauthenticated clients are told apart by address.
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

  /** Number of rows that wait for `flush`. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether `flush` has rows to write. */
  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Writes the oldest `most` waiting rows in one transaction, with the counts of the last minute and, if `closing`, of
   * the current one. Throws what the store throws, and keeps the rows then.
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

  /** Later rows queue behind waiting ones, so that rows keep their order. */
  #written(entry: AuditEntry): boolean {
    if (this.pending || !this.#mayWrite(entry.at)) return false;
    try {
      this.#stores.transaction((tx) => tx.audit.append(entry));
    } catch {
      // `flush` will fail in the same way and report it.
      return false;
    }
    this.#tell(entry);
    return true;
  }

  /** The transaction of the reported change may have been rolled back. */
  #tellIfCommitted(entry: AuditEntry): void {
    this.#tell(entry, () => this.#stores.audit.has(entry.id));
  }

  #tell(entry: AuditEntry, isWritten = () => true): void {
    if (this.#watcher?.wanted !== true) return;
    try {
      if (isWritten()) this.#watcher.written(entry);
    } catch {
      // The watcher misses the row. The trail has it if it was written.
    }
  }

  #mayWrite(now: number): boolean {
    const { began } = this.#second;
    // An earlier time means that the clock was set back.
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

/** @returns actor and origin for a row about an action of the caller */
export function actorOf(caller: Caller): Pick<AuditEvent, 'actor'> & RequestOrigin {
  return { actor: caller.account.id, ...origin(caller.from) };
}

/** @returns the caller's credential in words, for rows about what was created with it */
export function credentialOf({ credential }: Caller): string {
  return credential === NO_CREDENTIAL ? 'sign-in turned off' : `${credential.kind} ${credential.id}`;
}
