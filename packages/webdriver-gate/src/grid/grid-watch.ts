import type { Clock, Log } from '@svc/auth-core';
import { causeOf } from '@svc/outbound';
import type { GridClient, GridStatus } from './grid-client.ts';

interface GridWatchOptions {
  readonly client: Pick<GridClient, 'name' | 'status' | 'giveUp'>;
  readonly clock: Clock;
  readonly log: Log;
  /** It was asked at that time (ms), and has answered. */
  readonly answered?: (status: GridStatus, asked: number) => void | Promise<void>;
  /** It was asked again, and has not answered for so long (ms). */
  readonly silent?: (forMs: number) => void;
}

const LOOK_EVERY_MS = 10_000;
/** It does not answer for so long: requests that wait for it are given up. */
const SILENT_MS = 30_000;

/**
 * Asks a grid again and again whether it is there. A command has no time-out of its own, so this is what bounds the time
 * that a client waits for a grid that takes connections and never answers.
 */
export class GridWatch {
  readonly #options: GridWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** When the grid answered last (ms). */
  #heardAt: number;
  #isSilent = false;

  constructor(options: GridWatchOptions) {
    this.#options = options;
    this.#heardAt = options.clock.now();
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    void this.look();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** It has answered somebody. */
  heard(): void {
    this.#heardAt = this.#options.clock.now();
  }

  /** Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { client, clock, log, answered } = this.#options;
    try {
      const asked = clock.now();
      const status = await client.status();
      this.heard();
      if (this.#isSilent) log.info('The grid answers again', { grid: client.name });
      this.#isSilent = false;
      await answered?.(status, asked);
    } catch (error) {
      this.#unheard(error);
    } finally {
      this.#isLooking = false;
    }
  }

  #unheard(error: unknown): void {
    const { clock, log, client, silent } = this.#options;
    const now = clock.now();
    // Before it: the clock was set back.
    if (now < this.#heardAt) this.#heardAt = now;
    if (!this.#isSilent) log.error('The grid does not answer', { grid: client.name, cause: causeOf(error) });
    this.#isSilent = true;
    const forMs = now - this.#heardAt;
    if (forMs >= SILENT_MS) client.giveUp();
    silent?.(forMs);
  }
}
