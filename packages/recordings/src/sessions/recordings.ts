import { existsSync } from 'node:fs';
import type { Clock, Log } from '@svc/auth-core';
import type { DriverSessions } from '@svc/device-lab';
import type { Config } from '@svc/settings';
import type { KeptMode } from '../storage/recording.ts';
import type { RecordingStore } from '../storage/store.ts';
import type { RecordingCounts, RecordingFailure } from '../storage/stored.ts';
import { hasFailed } from './recording-mode.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
const FIRST_SWEEP_MS = 5_000;

interface RecordingsOptions {
  /** Path of the folder `recordings/` in the data folder. */
  readonly folder: string;
  readonly config: Config['recording'];
  readonly sessions: Pick<DriverSessions, 'byId'>;
  readonly clock: Clock;
  readonly log: Log;
}

const NOTHING: RecordingCounts = {
  pictures: 0,
  bytes: 0,
  dropped: { recording: 0, total: 0, disk: 0, lines: 0 },
};

/**
 * Recordings of this server. The module that stores them is loaded for the first recording, because most servers record
 * nothing.
 */
export class Recordings {
  readonly #options: RecordingsOptions;
  #opening: Promise<RecordingStore> | undefined;
  #store: RecordingStore | undefined;
  #timers: NodeJS.Timeout[] = [];
  #failed: (failure: RecordingFailure) => void = () => undefined;
  readonly #endings = new Map<string, Promise<void>>();

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  onFailure(report: (failure: RecordingFailure) => void): void {
    this.#failed = report;
  }

  /** Completes the recordings that an earlier process left unfinished, if there are any. Never rejects. */
  async start(): Promise<void> {
    if (!this.exist) return;
    await this.store().catch((error: unknown) =>
      this.#options.log.error('The recordings cannot be opened', { cause: String(error) }),
    );
  }

  /**
   * Whether this server can have recordings: the store is open, or the folder exists. If false, callers need not open
   * the store.
   */
  get exist(): boolean {
    return this.#opening !== undefined || existsSync(this.#options.folder);
  }

  get counts(): RecordingCounts {
    return this.#store?.counts ?? NOTHING;
  }

  /**
   * Total size (bytes) of the recordings on the disk, or 0 if the store is not open. After the store is opened, the
   * total is too small until all recordings have been counted.
   */
  get usedBytes(): number {
    return this.#store?.usedBytes ?? 0;
  }

  store(): Promise<RecordingStore> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Registers that a recording is being completed or removed, so that readers wait until this has ended. */
  ending(session: string, work: Promise<void>): void {
    const settled = work
      .catch((error: unknown) =>
        this.#options.log.error('A recording could not be completed', { session, cause: String(error) }),
      )
      .finally(() => {
        if (this.#endings.get(session) === settled) this.#endings.delete(session);
      });
    this.#endings.set(session, settled);
  }

  async ended(session: string): Promise<void> {
    await this.#endings.get(session);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#endings.values());
    await (await this.#opening?.catch(() => undefined))?.close();
  }

  async #open(): Promise<RecordingStore> {
    const { folder: root, config, clock, log } = this.#options;
    const { RecordingStore: Store } = await import('../storage/store.ts');
    const store = new Store({
      root,
      now: () => clock.now(),
      recordingBytes: config.maxBytes,
      allBytes: config.allBytes,
      isKept: (session, mode) => this.#isKept(session, mode),
      failed: (failure) => this.#failed(failure),
      warned: (what, error) => log.warn(what, { cause: String(error) }),
    });
    this.#store = store;
    void store.start();
    const sweep = () => void this.#sweep(store);
    this.#timers = [setTimeout(sweep, FIRST_SWEEP_MS).unref(), setInterval(sweep, SWEEP_EVERY_MS).unref()];
    return store;
  }

  async #sweep(store: RecordingStore): Promise<void> {
    const { config, clock, sessions, log } = this.#options;
    try {
      const before = clock.now() - config.retentionDays * DAY_MS;
      await store.sweep(before, (session) => sessions.byId(session) !== undefined);
    } catch (error) {
      log.warn('Old recordings could not be removed, trying again later', { cause: String(error) });
    }
  }

  /**
   * Returns whether to keep a recording that was not complete when an earlier process ended. In the mode `failures`, it
   * is also kept while its session still runs on another server, because the session can still fail.
   */
  #isKept(id: string, mode: KeptMode): boolean {
    const session = this.#options.sessions.byId(id);
    if (session === undefined) return false;
    return mode === 'all' || session.endedAt === null || hasFailed(session);
  }
}
