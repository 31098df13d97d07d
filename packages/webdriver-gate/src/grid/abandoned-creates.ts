import type { IncomingMessage } from 'node:http';

/**
 * Maximum number of abandoned create-session requests at the same time. Each of them holds a connection to the grid,
 * and a response body of up to 4 MiB.
 */
const MAX_ABANDONED = 64;

interface Followed {
  /** Signal that is aborted when this server stops waiting for the response. */
  readonly signal: AbortSignal;
  /** Stops following the create-session request. Call when the request has got a response or has failed. */
  readonly over: () => void;
}

/**
 * Tracks the create-session requests whose clients have disconnected. A grid still runs such a request if it is queued,
 * so this server waits for the response in order to end the session. If there are more than the maximum, this server
 * stops waiting for the oldest one, whose session then ends by the grid's idle time-out. Without the maximum, clients
 * that connect and disconnect could fill the memory of this server.
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
