import type { Log } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';

interface Source {
  readonly pending: { readonly size: number };
  /** `everything`: also what is not due yet. Returns how many it wrote, at most `most`. */
  write(most: number, everything: boolean): number;
}

const DELAY_MS = 2_000;
/** Some milliseconds of work, and the pause in which requests go on. */
const ROWS_AT_ONCE = 200;
const PAUSE_MS = 20;
/** Of very many this part at once, so that they are not noted faster than they are written. */
const PART = 1 / 50;

/**
 * Writes last-used times and sliding expiries two seconds later, many in one transaction: a write per request would
 * cost half the throughput. A crash loses those that waited and nothing else.
 */
export class WriteBehind {
  readonly #connection: Connection;
  readonly #log: Log;
  readonly #sources: Source[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, log: Log) {
    this.#connection = connection;
    this.#log = log;
  }

  add(source: Source): void {
    this.#sources.push(source);
  }

  /** The timer does not keep the process alive: `close` writes what is left. */
  schedule(): void {
    if (this.#timer === undefined) this.#tickIn(DELAY_MS);
  }

  /** Rows that wait. */
  get pending(): number {
    return this.#sources.reduce((sum, { pending }) => sum + pending.size, 0);
  }

  flush(): void {
    this.#write(Number.POSITIVE_INFINITY, true);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tickIn(ms: number): void {
    this.#timer = setTimeout(() => this.#tick(), ms).unref();
  }

  #tick(): void {
    this.#timer = undefined;
    const most = Math.max(ROWS_AT_ONCE, Math.ceil(this.pending * PART));
    try {
      if (this.#write(most, false) === most) this.#tickIn(PAUSE_MS);
    } catch (error) {
      this.#log.warn('Last-used times could not be written, trying again', { error });
      this.schedule();
    }
  }

  /** Returns the most that one source wrote. */
  #write(most: number, everything: boolean): number {
    if (this.#sources.every(({ pending }) => pending.size === 0)) return 0;
    return this.#connection.join(() =>
      Math.max(...this.#sources.map((source) => source.write(most, everything))),
    );
  }
}
