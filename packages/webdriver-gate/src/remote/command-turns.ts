import type { ServerResponse } from 'node:http';

export interface TurnLimits {
  /** Maximum number of requests with the same id, such as a session id, that run at the same time. */
  readonly concurrency: number;
  /** Milliseconds after which a request that waits for its turn fails. */
  readonly longestWaitMs: number;
  /** Plural noun for the requests with one id, for messages. */
  readonly name: string;
}

const COMMANDS: TurnLimits = {
  /**
   * This is enough for ordinary clients. They send only a few commands of a session in parallel, because a driver runs
   * them one after the other.
   */
  concurrency: 16,
  /**
   * The result of a credential check is valid for the same time. A command whose check is too old is therefore not sent
   * (contract 7).
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
 * Limits how many requests with the same id, such as commands of one session, run at the same time, and queues the
 * others. All sessions on a server share the connections to it. Without this limit, one client could use up these
 * connections with commands that never get a response.
 */
export class CommandTurns {
  readonly #limits: TurnLimits;
  /** Number of running requests by id. Ids without running requests have no entry. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Start>>();

  constructor(limits: TurnLimits = COMMANDS) {
    this.#limits = limits;
  }

  /**
   * Calls `start` when fewer than `concurrency` requests with this id are running, which may be immediately. Drops the
   * request if its client disconnects while it waits. Calls `failed` if it waits too long. The caller must call `done`
   * when a started request has ended.
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
      // Empty sets are removed from the map, so this set has at least one entry.
      const next = waiting.values().next().value as Start;
      this.#leave(id, waiting, next);
      // Do not call `next` synchronously. If its client has disconnected, `next` calls `done` again, and many such
      // calls would overflow the stack.
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
      // Do not fail the request if `done` has just removed it from the queue to start it.
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
