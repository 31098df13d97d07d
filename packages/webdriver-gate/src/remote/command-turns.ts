import type { ServerResponse } from 'node:http';

export interface TurnLimits {
  /** Maximum number of requests of one id that run at the same time. */
  readonly concurrency: number;
  /** Milliseconds after which a waiting request fails. */
  readonly longestWaitMs: number;
  /** The requests of one id, for messages. */
  readonly name: string;
}

const COMMANDS: TurnLimits = {
  /** Drivers run the commands of a session one after the other, and regular clients send only a few in parallel. */
  concurrency: 16,
  /** The time for which a check of credentials is valid (contract 7), well below the lifetime of a hub token. */
  longestWaitMs: 30_000,
  name: 'commands of the session',
};

type Start = () => void;

/** The request waited too long for its turn, and was not sent. */
export class NoTurn extends Error {
  constructor({ concurrency, longestWaitMs, name }: TurnLimits = COMMANDS) {
    super(`${concurrency} ${name} were under way for ${longestWaitMs / 1000} s`);
  }
}

/**
 * Limits how many commands of one session run at the same time, and queues the others. Otherwise a client could use up
 * the connections to a server, which all its sessions share, with commands that are never answered.
 */
export class CommandTurns {
  readonly #limits: TurnLimits;
  /** Number of running commands, of sessions that have any. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Start>>();

  constructor(limits: TurnLimits = COMMANDS) {
    this.#limits = limits;
  }

  /**
   * Calls `start` now or when a turn is free, unless the client has disconnected by then. Calls `failed` if that takes too
   * long. Call `done` once for each request that started.
   */
  take(id: string, res: ServerResponse, start: Start, failed: (error: NoTurn) => void): void {
    const running = this.#running.get(id) ?? 0;
    if (running >= this.#limits.concurrency) {
      this.#wait(id, res, start, failed);
      return;
    }
    this.#running.set(id, running + 1);
    start();
  }

  done(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      // A set in the map is never empty.
      const next = waiting.values().next().value as Start;
      this.#leave(id, waiting, next);
      // Not called directly: if all their clients have left, the waiting requests would fail within each other.
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
      // Its turn has come, and it is about to start.
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
