import type { Clock } from '@svc/auth-core';
import type { LineSink, LineSource } from '@svc/device-lab';
import { LINE_BOUNDS, shownLine } from '@svc/previews';

const TICK_MS = 1_000;
const LONGEST_LINE = 200;

interface PhoneLog {
  kept: string[];
  ticks: number;
  readonly sinks: Set<LineSink>;
}

/** Log lines of the virtual phones, by device id (udid). */
export class PhoneLogs {
  readonly #clock: Clock;
  readonly #logs = new Map<string, PhoneLog>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a line to the log of a phone. */
  note(udid: string, text: string): void {
    const log = this.#logOf(udid);
    const line = `${new Date(this.#clock.now()).toISOString()} ${shownLine(text).slice(0, LONGEST_LINE)}`;
    log.kept.push(line);
    if (log.kept.length > LINE_BOUNDS.kept) log.kept = log.kept.slice(-LINE_BOUNDS.kept / 2);
    for (const sink of log.sinks) sink.line(line);
  }

  /**
   * Returns the log of a phone: its past lines, then new lines. Each viewer that has the log open adds a line every
   * second.
   */
  lines(udid: string): LineSource {
    return {
      open: (sink, withPast) => {
        const log = this.#logOf(udid);
        if (withPast) for (const line of log.kept) sink.line(line);
        log.sinks.add(sink);
        const timer = setInterval(() => {
          log.ticks += 1;
          this.note(udid, `tick ${log.ticks}`);
        }, TICK_MS);
        return () => {
          clearInterval(timer);
          log.sinks.delete(sink);
        };
      },
    };
  }

  #logOf(udid: string): PhoneLog {
    let log = this.#logs.get(udid);
    if (log === undefined) {
      log = { kept: [], ticks: 0, sinks: new Set() };
      this.#logs.set(udid, log);
    }
    return log;
  }
}
