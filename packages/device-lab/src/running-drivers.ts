import type { Log } from '@svc/auth-core';
import type { SessionEnd } from './driver-sessions.ts';
import { endOfCause } from './end-cause.ts';
import { type DeviceInput, InputFailed, type StartedSession } from './start-session.ts';

interface Running {
  readonly session: StartedSession;
  /** Set while the lab ends the session. */
  ending?: Promise<void>;
}

/** The drivers of running sessions, on any server. Callers record how a session ended. */
export class RunningDrivers {
  readonly #log: Log;
  readonly #running = new Map<string, Running>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Calls `report` with how the session ended, unless the lab ends it, because the code that does so knows why. */
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

  /**
   * Ends a session and then calls `ended`. Concurrent calls end it once, and all of them wait. Ending a finished
   * session has no effect.
   */
  async end(id: string, ended: () => void): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.ending ??= this.stop(running.session).then(ended);
    await running.ending;
  }

  /**
   * Begins to end a session without waiting.
   * @returns false if it has ended or is being ended
   */
  startEnding(id: string): boolean {
    const running = this.#running.get(id);
    if (running === undefined || running.ending !== undefined) return false;
    running.ending = this.stop(running.session);
    return true;
  }

  /** Ends a session. Never rejects. */
  async stop(session: StartedSession): Promise<void> {
    try {
      await session.end();
    } catch (error) {
      this.#log.warn('Ending a session failed', { session: session.id, cause: String(error) });
    }
  }

  async keepAlive(id: string): Promise<void> {
    await this.#running.get(id)?.session.keepAlive();
  }

  /** Rejects with `InputFailed`, also if the session has ended. */
  async input(id: string, input: DeviceInput): Promise<void> {
    const session = this.#running.get(id)?.session;
    if (session?.input === undefined) throw new InputFailed('the session has ended or takes no input');
    await session.input(input);
  }
}
