import type { Clock } from '@svc/auth-core';

/** A command that the command check would have refused, but that was forwarded because the check only reports. */
export interface PassedCommand {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly sessionId: string;
  readonly reason: string;
}

/** Commands of one client to one session that would have been refused. */
export interface ReportLine {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly sessionId: string;
  /** Number of commands that would have been refused, by the reason for the refusal. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly firstAt: number;
  readonly lastAt: number;
}

interface Line {
  readonly passed: PassedCommand;
  readonly reasons: Map<string, number>;
  readonly firstAt: number;
  lastAt: number;
}

const MOST_LINES = 1_000;
const MOST_REASONS = 20;
const LONGEST_AGENT = 200;

/** Counts, by client and session, the commands that the command check would have refused if it did not only report. */
export class ReportOnlyStats {
  readonly #clock: Clock;
  readonly #lines = new Map<string, Line>();
  readonly since: number;
  checked = 0;
  refused = 0;
  /**
   * Number of commands that would have been refused but are counted in no `ReportLine`, because the maximum number of
   * lines was reached.
   */
  notKept = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.since = clock.now();
  }

  /**
   * Counts a command that would have been refused.
   * @returns true for the first such command of this client and session, so that the caller can log it
   */
  note(command: PassedCommand): boolean {
    this.refused++;
    const passed = { ...command, userAgent: command.userAgent?.slice(0, LONGEST_AGENT) ?? null };
    const key = JSON.stringify([passed.address, passed.userAgent, passed.sessionId]);
    const before = this.#lines.get(key);
    const line = before ?? this.#newLine(key, passed);
    if (line === undefined) {
      this.notKept++;
      return false;
    }
    line.lastAt = this.#clock.now();
    const known = line.reasons.has(passed.reason) || line.reasons.size < MOST_REASONS;
    const reason = known ? passed.reason : 'other reasons';
    line.reasons.set(reason, (line.reasons.get(reason) ?? 0) + 1);
    return before === undefined;
  }

  lines(): ReportLine[] {
    return [...this.#lines.values()].map(({ passed, ...line }) => ({ ...passed, ...line }));
  }

  /**
   * @returns a sentence with the number of commands that would have been refused, by reason: in one session, or in all
   * sessions if `sessionId` is absent. Undefined if there was no such command.
   */
  summary(sessionId?: string): string | undefined {
    const lines = this.lines().filter((line) => sessionId === undefined || line.sessionId === sessionId);
    const counts = new Map<string, number>();
    for (const { reasons } of lines) {
      for (const [reason, count] of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
    }
    if (counts.size === 0) return undefined;
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const parts = [...counts].map(([reason, count]) => `${reason}: ${count}`);
    return `${total} commands would have been refused (${parts.join(', ')})`;
  }

  #newLine(key: string, passed: PassedCommand): Line | undefined {
    if (this.#lines.size >= MOST_LINES) return undefined;
    const now = this.#clock.now();
    const line = { passed, reasons: new Map<string, number>(), firstAt: now, lastAt: now };
    this.#lines.set(key, line);
    return line;
  }
}
