import type { Log } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';

interface Source {
  readonly pending: { readonly size: number };
  /** `everything`: also what is not due yet. */
  write(everything: boolean): void;
}

const PAUSE_MS = 2_000;

/**
 * Writes last-used times and sliding expiries two seconds later, all in one transaction: a write per request would
 * cost half the throughput. A crash loses those two seconds of them and nothing else.
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
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#tick(), PAUSE_MS);
    this.#timer.unref();
  }

  /** Rows that wait. */
  get pending(): number {
    return this.#sources.reduce((sum, { pending }) => sum + pending.size, 0);
  }

  flush(): void {
    this.#write(true);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    this.#timer = undefined;
    try {
      this.#write(false);
    } catch (error) {
      this.#log.warn('Last-used times could not be written, trying again', { error });
      this.schedule();
    }
  }

  #write(everything: boolean): void {
    if (this.#sources.every(({ pending }) => pending.size === 0)) return;
    this.#connection.join(() => {
      for (const source of this.#sources) source.write(everything);
    });
  }
}
