import type { Clock, Log } from '@svc/auth-core';
import { causeOf } from '@svc/outbound';
import type { GridClient, GridStatus } from './grid-client.ts';

interface GridWatchOptions {
  readonly client: Pick<GridClient, 'name' | 'status' | 'giveUp'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each status of the grid, and with the time (ms since 1970) of the status request. */
  readonly answered?: (status: GridStatus, asked: number) => void | Promise<void>;
  /** Called after each failed status request, with the time (ms) since the last response of the grid. */
  readonly silent?: (forMs: number) => void;
}

const LOOK_EVERY_MS = 10_000;
/** Time (ms) without a response from the grid after which the waiting requests of clients fail. */
const SILENT_MS = 30_000;

/**
 * Polls the status of a grid, and fails the waiting requests of clients if the grid does not respond. Commands have no
 * time-out of their own. Without this, clients would wait forever for a grid that accepts connections and never
 * responds.
 */
export class GridWatch {
  readonly #options: GridWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Time of the grid's last response (ms since 1970). */
  #respondedAt: number;
  #isSilent = false;

  constructor(options: GridWatchOptions) {
    this.#options = options;
    this.#respondedAt = options.clock.now();
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    void this.look();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Records that the grid has just responded to a request. */
  responded(): void {
    this.#respondedAt = this.#options.clock.now();
  }

  /** Requests the status of the grid once, unless such a request is already running. Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { client, clock, log, answered } = this.#options;
    try {
      const asked = clock.now();
      const status = await client.status();
      this.responded();
      if (this.#isSilent) log.info('The grid responds again', { grid: client.name });
      this.#isSilent = false;
      await answered?.(status, asked);
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isLooking = false;
    }
  }

  #failed(error: unknown): void {
    const { clock, log, client, silent } = this.#options;
    const now = clock.now();
    // A time before the last response means that the clock moved back.
    if (now < this.#respondedAt) this.#respondedAt = now;
    if (!this.#isSilent) log.error('The grid does not respond', { grid: client.name, cause: causeOf(error) });
    this.#isSilent = true;
    const forMs = now - this.#respondedAt;
    if (forMs >= SILENT_MS) client.giveUp();
    silent?.(forMs);
  }
}
