import type { IncomingMessage } from 'node:http';

/**
 * Maximum number of abandoned create-session requests at the same time. Each of them holds a connection to the grid,
 * and a response body of up to 4 MiB.
 */
const MAX_ABANDONED = 64;

interface Followed {
  /** Aborted when this server stops waiting for the grid's response. */
  readonly signal: AbortSignal;
  /** Stops tracking the create-session request. Call this when the request has succeeded or failed. */
  readonly over: () => void;
}

/**
 * Tracks the create-session requests whose clients have disconnected. The grid may still start a session for such a
 * request, so this server waits for the response and ends the session. If there are too many, this server stops waiting
 * for the oldest one, and its session ends only after the grid's idle time-out. Without this limit, clients that
 * connect and disconnect could fill the memory.
 */
export class AbandonedCreates {
  readonly #abandoned = new Set<AbortController>();

  follow({ socket }: Pick<IncomingMessage, 'socket'>): Followed {
    const controller = new AbortController();
    const left = (): void => {
      this.#abandoned.add(controller);
      const [oldest] = this.#abandoned;
      if (this.#abandoned.size <= MAX_ABANDONED) return;
      this.#abandoned.delete(oldest as AbortController);
      oldest?.abort(new Error('the client disconnected'));
    };
    socket.once('close', left);
    const over = (): void => {
      socket.off('close', left);
      this.#abandoned.delete(controller);
    };
    return { signal: controller.signal, over };
  }
}
