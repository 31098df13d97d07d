import type { ServerResponse } from 'node:http';

export interface TurnLimits {
  /** Maximum number of requests with the same id that run at the same time. */
  readonly concurrency: number;
  /** Milliseconds after which a request that waits for its turn fails. */
  readonly longestWaitMs: number;
  /** Name of the requests with one id, for messages. */
  readonly name: string;
}

const COMMANDS: TurnLimits = {
  /**
   * This limit is sufficient for regular clients, which send only a few commands in parallel because drivers run the
   * commands of a session one after the other.
   */
  concurrency: 16,
  /**
   * Equal to the time for which a check of credentials is valid, so that no command is sent after its check has expired
   * (contract 7). Well below the lifetime of a hub token.
   */
  longestWaitMs: 30_000,
  name: 'commands of the session',
};

type Start = () => void;

/** Error for a request that waited too long for its turn and was not sent. */
export class NoTurn extends Error {
  constructor({ concurrency, longestWaitMs, name }: TurnLimits = COMMANDS) {
    super(`${concurrency} ${name} were under way for ${longestWaitMs / 1000} s`);
  }
}

/**
 * Limits how many commands of one session run at the same time, and queues the others. Otherwise one client could use
 * up the connections to a server, which all sessions on that server share, with commands that never get a response.
 */
export class CommandTurns {
  readonly #limits: TurnLimits;
  /** Number of running commands by session id. Sessions without running commands have no entry. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Start>>();

  constructor(limits: TurnLimits = COMMANDS) {
    this.#limits = limits;
  }

  /**
   * Calls `start` now or when a turn is free, unless the client has disconnected by then. Calls `failed` if the wait
   * takes too long. The caller must call `done` once for each request that started.
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
      // A set in this map is never empty, because empty sets are removed from the map.
      const next = waiting.values().next().value as Start;
      this.#leave(id, waiting, next);
      // Start the next request asynchronously. Otherwise, if the clients of all waiting requests have disconnected, the
      // requests would end each other recursively.
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
      // The request has got its turn and is about to start, so it must not fail.
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
