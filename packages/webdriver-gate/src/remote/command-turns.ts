import type { ServerResponse } from 'node:http';

export interface TurnLimits {
  /** Maximum number under way for one id. */
  readonly atOnce: number;
  /** Milliseconds after which a request that still waits fails. */
  readonly longestWaitMs: number;
  /** Requests of one id, in words. */
  readonly name: string;
}

const COMMANDS: TurnLimits = {
  /** Drivers take the commands of a session one after the other; honest clients send some of them at once. */
  atOnce: 16,
  /** As long as a check of its credentials is good for (contract 7), and well below the life of a hub token. */
  longestWaitMs: 30_000,
  name: 'commands of the session',
};

type Start = () => void;

/** Its turn did not come in time; it was not sent. */
export class NoTurn extends Error {
  constructor({ atOnce, longestWaitMs, name }: TurnLimits = COMMANDS) {
    super(`${atOnce} ${name} were under way for ${longestWaitMs / 1000} s`);
  }
}

/**
 * Whose turn it is to be sent. One session has a few commands under way and the others wait here, so that no client
 * takes the connections to a server from all its other sessions with commands that are not answered.
 */
export class CommandTurns {
  readonly #limits: TurnLimits;
  /** Commands under way; only of sessions that have any. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Start>>();

  constructor(limits: TurnLimits = COMMANDS) {
    this.#limits = limits;
  }

  /**
   * Starts it now or later; never when its client has left by then, and it has `failed` when its turn takes too long.
   * What started must be `done` once.
   */
  take(id: string, res: ServerResponse, start: Start, failed: (error: NoTurn) => void): void {
    const running = this.#running.get(id) ?? 0;
    if (running >= this.#limits.atOnce) {
      this.#wait(id, res, start, failed);
      return;
    }
    this.#running.set(id, running + 1);
    start();
  }

  done(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      // There is one as long as the set is there.
      const next = waiting.values().next().value as Start;
      this.#leave(id, waiting, next);
      // Later: its client may have left along with this one's, and all of them may fail, one within the other.
      setImmediate(next);
      return;
    }
    const running = this.#running.get(id) ?? 0;
    if (running > 1) this.#running.set(id, running - 1);
    else this.#running.delete(id);
  }

  #wait(id: string, res: ServerResponse, start: Start, failed: (error: NoTurn) => void): void {
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting);
    const late = setTimeout(() => {
      // It is about to begin.
      if (!waiting.has(begin)) return;
      gone();
      res.off('close', gone);
      failed(new NoTurn(this.#limits));
    }, this.#limits.longestWaitMs);
    const begin = (): void => {
      clearTimeout(late);
      res.off('close', gone);
      if (res.destroyed) this.done(id);
      else start();
    };
    const gone = (): void => {
      clearTimeout(late);
      this.#leave(id, waiting, begin);
    };
    waiting.add(begin);
    res.once('close', gone);
  }

  #leave(id: string, waiting: Set<Start>, start: Start): void {
    if (waiting.delete(start) && waiting.size === 0) this.#waiting.delete(id);
  }
}
