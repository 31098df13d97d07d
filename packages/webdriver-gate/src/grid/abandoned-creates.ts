import type { IncomingMessage } from 'node:http';

/** At once; each holds a connection to the grid, and a body of up to 4 MiB. */
const MOST = 64;

interface Followed {
  /** Aborted: its answer is no longer waited for. */
  readonly signal: AbortSignal;
  /** Call when it is answered or has failed. */
  readonly over: () => void;
}

/**
 * Creates whose client has left. Their answers are waited for, since the session is to be ended then, and a grid goes on
 * with what it has queued whoever is still there. Of more than so many, the oldest one's session is left to the idle
 * time-out of the grid: clients that come and leave must not fill the memory here.
 */
export class AbandonedCreates {
  readonly #abandoned = new Set<AbortController>();

  follow({ socket }: Pick<IncomingMessage, 'socket'>): Followed {
    const controller = new AbortController();
    const left = (): void => {
      this.#abandoned.add(controller);
      const [oldest] = this.#abandoned;
      if (this.#abandoned.size <= MOST) return;
      this.#abandoned.delete(oldest as AbortController);
      oldest?.abort(new Error('its client has left'));
    };
    socket.once('close', left);
    const over = (): void => {
      socket.off('close', left);
      this.#abandoned.delete(controller);
    };
    return { signal: controller.signal, over };
  }
}
