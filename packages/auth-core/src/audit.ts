import type { AuditEventName } from '@svc/contract';
import { type CountedRefusal, EventCounter } from './event-counter.ts';
import type { AuditEntry, AuditEvent, Clock, Random, Stores, StoreTransaction } from './ports/index.ts';
import { type Caller, NO_CREDENTIAL } from './principal.ts';
import type { RequestOrigin } from './request-origin.ts';

/** Origin of events that no request causes, such as the start of the server or a command on the host. */
export const LOCAL_ORIGIN: RequestOrigin = { address: null, peer: null, requestId: null };

/**
 * @returns a plain copy of an origin for an audit row. A spread (`...from`) would not copy the fields of the API's
 * origins, because these are getters of a class, which compute each field only when it is needed.
 */
export function origin({ address, peer, sender, requestId, via }: RequestOrigin): RequestOrigin {
  return { address, peer, sender, requestId, ...(via == null ? {} : { via }) };
}

type Details = Partial<Omit<AuditEvent, 'event'>>;
type Trail = Pick<Stores, 'transaction' | 'afterTransaction' | 'audit'>;

/** Receives each row of the audit trail after it is written, for example to send it to connected clients. */
export interface AuditWatcher {
  /** Whether the watcher wants rows now. If false, `written` is not called. */
  readonly wanted: boolean;
  /** Receives a row that has been written. Must return immediately, because a request waits for the call. */
  written(row: AuditEntry): void;
}

type AuditTransaction = Pick<StoreTransaction, 'audit'>;

const SECOND_MS = 1000;

/**
 * Writes the audit trail:
 *
 * - `record` adds a row in the transaction of the change that the row reports.
 * - `recordRefusal` is for refused requests. Repeated refusals share one row.
 * - `recordBestEffort` is for other events that change nothing.
 *
 * The last two methods never throw. Each writes its row in a transaction of its own, after any open transaction, so
 * that a rollback of the open transaction does not remove the row. If the store fails, or if the limit of rows per
 * second is reached, the row waits in memory for `flush`. At most `LONGEST_QUEUE` rows wait. Rows beyond that number
 * are dropped and only counted.
 */
export class Audit {
  readonly #stores: Trail;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #counter = new EventCounter();
  #watcher: AuditWatcher | undefined;
  #second = { began: 0, notes: 0 };
  readonly #afterwards: (readonly [event: AuditEventName, details: Details])[] = [];
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

  record(tx: AuditTransaction, event: AuditEventName, details: Details): void {
    const entry = this.#entry(event, details);
    tx.audit.append(entry);
    if (this.#watcher?.wanted === true) this.#stores.afterTransaction(() => this.#tellIfCommitted(entry));
  }

  /**
   * Adds a row like `record`, for an event that a client can cause at will. Of each account, the first rows of an event
   * in a minute are written; one row, which is written when the minute ends, counts the others (contract 4).
   */
  recordOften(
    tx: AuditTransaction,
    event: AuditEventName,
    details: Details & { readonly actor: string | null },
  ): void {
    this.#countsToRows(false);
    if (this.#counter.add(event, details.actor, this.#clock.now())) this.record(tx, event, details);
  }

  recordBestEffort(event: AuditEventName, details: Details): void {
    this.#countsToRows(false);
    this.#put(this.#entry(event, details));
  }

  /**
   * Records an event like `recordBestEffort`, but after this turn of the event loop, so that a successful request does
   * not wait for the disk. The row gets the time at which it is written, so that the times in the trail stay in order.
   */
  recordAfterwards(event: AuditEventName, details: Details): void {
    this.#afterwards.push([event, details]);
    if (this.#afterwards.length === 1) setImmediate(() => this.#putAfterwards());
  }

  /**
   * Records a refused request. Refusals with the same caller, route and event in the same minute form a group. The
   * first refusal of a group gets a row of its own; the others of the group share one row, which is written when the
   * minute ends. For an unauthenticated client, its address takes the place of the caller.
   */
  recordRefusal(event: AuditEventName, refusal: CountedRefusal): void {
    this.#countsToRows(false);
    if (!this.#counter.addRefusal(event, refusal, this.#clock.now())) return;
    const { actor, triedAccount = null, route, target = route, reason } = refusal;
    this.recordBestEffort(event, {
      ...origin(refusal),
      outcome: 'failure',
      actor: actor ?? triedAccount,
      target,
      reason,
    });
  }

  /** Number of rows that wait in memory for `flush`. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether `flush` has rows to write. */
  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Writes the oldest `most` waiting rows in one transaction. Before this, adds the rows that count repeated refusals,
   * if their minute has ended or `closing` is true. If the store throws, `flush` throws the same error and keeps the
   * rows.
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
    for (const { at, ...row } of this.#counter.take(this.#clock.now(), closing))
      this.#put({ ...this.#entry(row.event, row), at });
  }

  #putAfterwards(): void {
    for (const [event, details] of this.#afterwards.splice(0)) this.#put(this.#entry(event, details));
  }

  #put(entry: AuditEntry): void {
    this.#stores.afterTransaction(() => {
      if (!this.#written(entry)) this.#keep(entry);
    });
  }

  /**
   * Writes the row now, if possible.
   * @returns false if the store fails, if this second's limit is reached, or if earlier rows are still waiting, because
   * rows must stay in order
   */
  #written(entry: AuditEntry): boolean {
    if (this.pending || !this.#mayWrite(entry.at)) return false;
    try {
      this.#stores.transaction((tx) => tx.audit.append(entry));
    } catch {
      // The row waits for `flush`, which throws the error if the store still fails.
      return false;
    }
    this.#tell(entry);
    return true;
  }

  /** Notifies the watcher, unless the transaction in which the row was written has been rolled back. */
  #tellIfCommitted(entry: AuditEntry): void {
    this.#tell(entry, () => this.#stores.audit.has(entry.id));
  }

  #tell(entry: AuditEntry, isWritten = () => true): void {
    if (this.#watcher?.wanted !== true) return;
    try {
      if (isWritten()) this.#watcher.written(entry);
    } catch {
      // An error of the watcher must not fail the request. The watcher misses the row, but the trail is not affected.
    }
  }

  #mayWrite(now: number): boolean {
    const { began } = this.#second;
    // A time before the start of this second means that the clock was set back, so a new second begins.
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
      via: details.via ?? null,
    };
  }
}

/** @returns actor and origin for an audit row about an action of the caller */
export function actorOf(caller: Caller): Pick<AuditEvent, 'actor'> & RequestOrigin {
  return { actor: caller.account.id, ...origin(caller.from) };
}

/** @returns the kind and id of the caller's credential, for audit rows about a token that was created with it */
export function credentialOf({ credential }: Caller): string {
  return credential === NO_CREDENTIAL ? 'sign-in turned off' : `${credential.kind} ${credential.id}`;
}
