import type { Clock } from '@svc/auth-core';
import type { ObservedCommand } from './command-log/entry.ts';
import { crashIn } from './driver-crash.ts';
import type { DriverSession } from './driver-session.ts';
import type { SessionEnd } from './driver-sessions.ts';

const MINUTE_MS = 60_000;
/** Time (ms) for a driver to end its session. After that, the end is recorded although the driver may still run. */
const END_WITHIN_MS = 10_000;

interface EndsOptions {
  readonly lab: {
    readonly sessions: { running(): DriverSession[] };
    endSession(id: string, end: SessionEnd): Promise<void>;
    recordEnd(id: string, end: SessionEnd): unknown;
  };
  readonly clock: Clock;
  /** Minutes after which a session is ended; 0 means no limit. */
  readonly maxMinutes: number;
}

/** Ends sessions whose client has not ended them: after a crash of the driver, after the maximum time, and for an Admin. */
export class SessionEnds {
  readonly #options: EndsOptions;
  /** Ids of the sessions that this object is ending. */
  readonly #ending = new Set<string>();

  constructor(options: EndsOptions) {
    this.#options = options;
  }

  /** Ends the session of a command whose response says that the driver has died. Called for every command. */
  noteCommand(seen: ObservedCommand): void {
    const crash = seen.status === 500 ? crashIn(seen) : undefined;
    if (crash !== undefined) void this.#end(seen.sessionId, { category: 'Driver Crash', reason: crash });
  }

  /** Ends the sessions that have reached the maximum time. */
  sweep(): void {
    const { lab, clock, maxMinutes } = this.#options;
    if (maxMinutes === 0) return;
    const before = clock.now() - maxMinutes * MINUTE_MS;
    const reason = `the session reached the maximum of ${maxMinutes} minutes`;
    for (const { id, startedAt } of lab.sessions.running())
      if (startedAt <= before) void this.#end(id, { category: 'Timeout', reason });
  }

  /** Ends the session on a device, if there is one. */
  async release(udid: string): Promise<void> {
    const session = this.#options.lab.sessions.running().find(({ device }) => device?.udid === udid);
    const reason = 'the phone was released by an administrator';
    if (session !== undefined) await this.#end(session.id, { category: null, reason });
  }

  /** Ends a session, and frees its device even if the driver does not end in time. Never rejects. */
  async #end(id: string, end: SessionEnd): Promise<void> {
    const { lab } = this.#options;
    if (this.#ending.has(id)) return;
    this.#ending.add(id);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_WITHIN_MS).unref();
    });
    try {
      await Promise.race([lab.endSession(id, end), late]);
      // Has no effect if the driver has ended in time.
      lab.recordEnd(id, end);
    } finally {
      clearTimeout(timer);
      this.#ending.delete(id);
    }
  }
}
