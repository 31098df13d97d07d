import type { IncomingMessage } from 'node:http';

/** Maximum number at the same time. Each holds a connection to the grid, and a body of up to 4 MiB. */
const MAX_ABANDONED = 64;

interface Followed {
  /** Aborted if the response is no longer waited for. */
  readonly signal: AbortSignal;
  /** Call when the create was answered or has failed. */
  readonly over: () => void;
}

/**
 * The creates whose client has disconnected. A grid runs what it has queued even then, so this server waits for the
 * response in order to end the session. Beyond the maximum it stops waiting for the oldest create, whose session ends by
 * the grid's idle time-out. Otherwise clients that connect and disconnect could fill the memory of this server.
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
