import type { Clock } from '@svc/auth-core';
import type { ObservedCommand } from './command-log/entry.ts';
import { failureIn, isBrokenConnection, isDriverCrash } from './driver-crash.ts';
import type { DriverSession } from './driver-session.ts';
import type { SessionEnd } from './driver-sessions.ts';

const MINUTE_MS = 60_000;
/** Time (ms) for a driver to end its session. After that, the end is recorded although the driver may still run. */
const END_WITHIN_MS = 10_000;
/** Number of broken connections in a row that prove that the server of a driver has died. */
const BROKEN_IN_A_ROW = 3;

interface EndsOptions {
  readonly lab: {
    readonly sessions: { running(): DriverSession[] };
    endSession(id: string, end: SessionEnd): Promise<void>;
    recordEnd(id: string, end: SessionEnd): unknown;
    readonly drivers: {
      /** Resolves to the message with which the driver refuses a harmless command, or undefined if it answers it. */
      probe(id: string): Promise<string | undefined>;
    };
  };
  readonly clock: Clock;
  /** Minutes after which a session is ended; 0 means no limit. */
  readonly maxMinutes: number;
}

/**
 * Ends sessions whose client has not ended them: after a crash of the driver, after the maximum time, and for an Admin.
 */
export class SessionEnds {
  readonly #options: EndsOptions;
  /** Ids of the sessions that this object is ending. */
  readonly #ending = new Set<string>();
  /** Ids of the sessions whose drivers this object is examining. */
  readonly #examined = new Set<string>();

  constructor(options: EndsOptions) {
    this.#options = options;
  }

  /**
   * Ends the session of a command whose response says that the driver has died. If the connection of the driver broke,
   * examines the driver first. Called for every command.
   */
  noteCommand(seen: ObservedCommand): void {
    const message = seen.status === 500 ? failureIn(seen) : undefined;
    if (message === undefined) return;
    if (isDriverCrash(message)) void this.#end(seen.sessionId, crashed(message));
    else if (isBrokenConnection(message)) void this.#examine(seen.sessionId, message);
  }

  /** Ends a session if its driver does not answer a harmless command either. Never rejects. */
  async #examine(id: string, broken: string): Promise<void> {
    if (this.#examined.has(id)) return;
    this.#examined.add(id);
    try {
      for (let count = 1; count < BROKEN_IN_A_ROW; count++) {
        const message = await this.#options.lab.drivers.probe(id);
        if (message !== undefined && isDriverCrash(message)) return await this.#end(id, crashed(message));
        if (message === undefined || !isBrokenConnection(message)) return;
      }
      await this.#end(id, crashed(broken));
    } finally {
      this.#examined.delete(id);
    }
  }

  /** Ends the sessions that have reached the maximum time. */
  sweep(): void {
    const { lab, clock, maxMinutes } = this.#options;
    if (maxMinutes === 0) return;
    const before = clock.now() - maxMinutes * MINUTE_MS;
    const reason = `the session reached the maximum of ${maxMinutes} ${maxMinutes === 1 ? 'minute' : 'minutes'}`;
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

function crashed(reason: string): SessionEnd {
  return { category: 'Driver Crash', reason };
}
