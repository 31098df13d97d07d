import type { Log } from '@svc/auth-core';
import type { SessionEnd } from './driver-sessions.ts';
import { endOfCause } from './end-cause.ts';
import { type DeviceInput, InputFailed, type StartedSession } from './start-session.ts';

interface Running {
  readonly session: StartedSession;
  /** Set while the lab ends it. */
  ending?: Promise<void>;
}

/** The drivers of running sessions, wherever they run. What became of a session is for the caller to file. */
export class RunningDrivers {
  readonly #log: Log;
  readonly #running = new Map<string, Running>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `report` is told how it ended, unless the lab ends it: who does that knows why. */
  add(session: StartedSession, report: (end: SessionEnd) => void): void {
    const running: Running = { session };
    this.#running.set(session.id, running);
    const reportUnlessEnding = (end: SessionEnd) => {
      if (running.ending === undefined) report(end);
    };
    session.ended.then(reportUnlessEnding, (error) => reportUnlessEnding(endOfCause(String(error))));
  }

  forget(id: string): void {
    this.#running.delete(id);
  }

  /** Ends it and then calls `ended`, once under concurrent calls, which all wait. No effect on one that is over. */
  async end(id: string, ended: () => void): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.ending ??= this.stop(running.session).then(ended);
    await running.ending;
  }

  /** Begins to end it, without waiting; false: it is over, or being ended. */
  startEnding(id: string): boolean {
    const running = this.#running.get(id);
    if (running === undefined || running.ending !== undefined) return false;
    running.ending = this.stop(running.session);
    return true;
  }

  /** Never rejects. */
  async stop(session: StartedSession): Promise<void> {
    try {
      await session.end();
    } catch (error) {
      this.#log.warn('A session ended with trouble', { session: session.id, cause: String(error) });
    }
  }

  async keepAlive(id: string): Promise<void> {
    await this.#running.get(id)?.session.keepAlive();
  }

  /** Rejects with `InputFailed`, also for a session that is over. */
  async input(id: string, input: DeviceInput): Promise<void> {
    const session = this.#running.get(id)?.session;
    if (session?.input === undefined) throw new InputFailed('the session is over or takes no input');
    await session.input(input);
  }
}
