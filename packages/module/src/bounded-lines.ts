import type { Clock, Log } from '@svc/auth-core';

const MINUTE_MS = 60_000;

interface BoundedLinesOptions {
  readonly write: (line: string, fields: object) => void;
  /** @returns the log line that reports how many lines were not written in the last minute */
  readonly beyond: (count: number) => string;
  readonly clock: Clock;
}

/**
 * Limits the log lines per minute that requests of unauthenticated clients cause, so that a flood of requests does not
 * fill the log. There is one limit for each sender (`RequestOrigin.sender`) and one for all senders together. Lines
 * beyond a limit are counted, and the count is logged before the first line of a later minute.
 */
export class BoundedLines {
  static readonly MOST_OF_PEER = 300;
  static readonly MOST = 1000;

  readonly #options: BoundedLinesOptions;
  /**
   * Number of lines in this minute by sender. A sender is added when a line of theirs is written, and at most `MOST`
   * lines are written per minute, so the map has at most `MOST` entries.
   */
  readonly #lines = new Map<string, number>();
  #minute = Number.NaN;
  #written = 0;
  #beyond = 0;

  constructor(options: BoundedLinesOptions) {
    this.#options = options;
  }

  write(sender: string, line: string, fields: object): void {
    this.#begin();
    const lines = (this.#lines.get(sender) ?? 0) + 1;
    if (lines > BoundedLines.MOST_OF_PEER || this.#written >= BoundedLines.MOST) {
      this.#beyond += 1;
      return;
    }
    this.#lines.set(sender, lines);
    this.#written += 1;
    this.#options.write(line, fields);
  }

  /**
   * Starts a new count if the minute has changed since the last call, forward or, if the clock was set back, backward.
   */
  #begin(): void {
    const minute = Math.floor(this.#options.clock.now() / MINUTE_MS);
    if (minute === this.#minute) return;
    const beyond = this.#beyond;
    this.#minute = minute;
    this.#lines.clear();
    this.#written = 0;
    this.#beyond = 0;
    if (beyond > 0) this.#options.write(this.#options.beyond(beyond), {});
  }
}

/** Creates the limit for log lines about refused requests. */
export function refusalLines(log: Pick<Log, 'warn'>, clock: Clock): BoundedLines {
  return new BoundedLines({
    write: (line, fields) => log.warn(line, fields),
    beyond: (count) =>
      `${count} more requests were refused in one minute; the audit trail counts them by caller`,
    clock,
  });
}

/**
 * Creates the limit for log lines about requests that failed with a server error. Without a limit, an unavailable
 * database would cause a line for every request.
 */
export function failureLines(log: Pick<Log, 'error'>, clock: Clock): BoundedLines {
  return new BoundedLines({
    write: (line, fields) => log.error(line, fields),
    beyond: (count) => `${count} more requests failed in one minute`,
    clock,
  });
}
