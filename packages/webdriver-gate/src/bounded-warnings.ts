import type { Clock, Log } from '@svc/auth-core';

const MINUTE_MS = 60_000;

/**
 * Warnings that a stranger's requests cause: one each, until a socket address (or all together) has caused more in a
 * minute than anybody reads. What is beyond is counted, and the count is a line as soon as another minute is met.
 */
export class BoundedWarnings {
  static readonly MOST_OF_PEER = 300;
  static readonly MOST = 1000;

  readonly #log: Pick<Log, 'warn'>;
  readonly #clock: Clock;
  /** Lines of this minute by socket address: bounded, since a line is written for every address in it. */
  readonly #lines = new Map<string, number>();
  #minute = Number.NaN;
  #written = 0;
  #beyond = 0;

  constructor(log: Pick<Log, 'warn'>, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  warn(peer: string, line: string, fields: object): void {
    this.#begin();
    const lines = (this.#lines.get(peer) ?? 0) + 1;
    if (lines > BoundedWarnings.MOST_OF_PEER || this.#written >= BoundedWarnings.MOST) {
      this.#beyond += 1;
      return;
    }
    this.#lines.set(peer, lines);
    this.#written += 1;
    this.#log.warn(line, fields);
  }

  /** Another minute, not a later one: the clock may have been set back. */
  #begin(): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    if (minute === this.#minute) return;
    const beyond = this.#beyond;
    this.#minute = minute;
    this.#lines.clear();
    this.#written = 0;
    this.#beyond = 0;
    if (beyond > 0)
      this.#log.warn(
        `${beyond} more requests were refused in one minute; the audit trail counts them by caller`,
      );
  }
}
