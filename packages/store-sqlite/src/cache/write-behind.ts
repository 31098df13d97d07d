import type { Log } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';

interface Source {
  readonly pending: { readonly size: number };
  /**
   * Writes up to `most` rows. Writes rows whose value has hardly changed only if `everything` is true.
   * @returns the number of rows written
   */
  write(most: number, everything: boolean): number;
}

const DELAY_MS = 2_000;
/** Rows per batch, which takes some milliseconds. The server handles requests in the pause after a batch. */
const BATCH_ROWS = 200;
const PAUSE_MS = 20;
/**
 * Fraction of the pending rows that a batch writes if this is more than `BATCH_ROWS`. With batches of a fixed size, the
 * number of pending rows could grow without limit under high load.
 */
const BATCH_PART = 1 / 50;

/**
 * Writes last-used times and sliding expiries with a delay of two seconds, many in one transaction, because a write per
 * request would halve the throughput. A crash loses only the values of the last seconds.
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

  /**
   * Starts the delay before the next write. The timer does not keep the process alive, because `close` writes the rest.
   */
  schedule(): void {
    if (this.#timer === undefined) this.#tickIn(DELAY_MS);
  }

  /** Number of rows that are not written yet. */
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
    const most = Math.max(BATCH_ROWS, Math.ceil(this.pending * BATCH_PART));
    try {
      if (this.#write(most, false) === most) this.#tickIn(PAUSE_MS);
    } catch (error) {
      this.#log.warn('Last-used times could not be written; the server tries again in 2 s', { error });
      this.schedule();
    }
  }

  /**
   * @returns the number of rows that were written by the source that wrote the most. If this number is `most`, there
   * may be more rows to write.
   */
  #write(most: number, everything: boolean): number {
    if (this.#sources.every(({ pending }) => pending.size === 0)) return 0;
    return this.#connection.join(() =>
      Math.max(...this.#sources.map((source) => source.write(most, everything))),
    );
  }
}
