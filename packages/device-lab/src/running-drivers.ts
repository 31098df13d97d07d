import type { Log } from '@svc/auth-core';
import type { SessionEnd } from './driver-sessions.ts';
import { endOfCause } from './end-cause.ts';
import { type DeviceInput, InputFailed, type StartedSession } from './start-session.ts';

interface Running {
  readonly session: StartedSession;
  /** Set while the lab ends the session. A second call that ends the session waits for this promise. */
  ending?: Promise<void>;
}

/**
 * The drivers of running sessions, on this server and on nodes. This class ends sessions but does not record their
 * ends; the callers do so.
 */
export class RunningDrivers {
  readonly #log: Log;
  readonly #running = new Map<string, Running>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Adds a session, and calls `report` with the cause when the session ends. If a method of this class ends the
   * session, `report` is not called, because the caller of the method records the cause.
   */
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
   * Ends a session and then calls `ended`. Concurrent calls end the session only once, and all of them wait for the
   * end. Ending a finished session has no effect.
   */
  async end(id: string, ended: () => void): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.ending ??= this.stop(running.session).then(ended);
    await running.ending;
  }

  /**
   * Begins to end a session without waiting for the end.
   * @returns false if the session has ended or is already being ended
   */
  startEnding(id: string): boolean {
    const running = this.#running.get(id);
    if (running === undefined || running.ending !== undefined) return false;
    running.ending = this.stop(running.session);
    return true;
  }

  /** Ends a session. Never rejects, because an error of the driver is only logged. */
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

  /**
   * Sends the driver of a session a command that changes nothing.
   * @returns the error message of the driver, or undefined if there is none
   */
  async probe(id: string): Promise<string | undefined> {
    return await this.#running.get(id)?.session.probe?.();
  }

  /**
   * Passes an input to the driver of a session. Rejects with `InputFailed` if the driver rejects the input, or if the
   * session has ended.
   */
  async input(id: string, input: DeviceInput): Promise<void> {
    const session = this.#running.get(id)?.session;
    if (session?.input === undefined) throw new InputFailed('the session has ended or accepts no input');
    await session.input(input);
  }
}
