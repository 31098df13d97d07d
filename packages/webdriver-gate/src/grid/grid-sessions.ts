import type { Clock, Log } from '@svc/auth-core';
import type { DeviceLab, SessionEnd, StartedSession } from '@svc/device-lab';
import type { GridClient, GridStatus } from './grid-client.ts';
import { GridWatch } from './grid-watch.ts';
import { gridIdOf } from './session-ids.ts';

interface GridSessionOptions {
  readonly client: GridClient;
  readonly lab: DeviceLab;
  readonly clock: Clock;
  readonly log: Log;
}

interface GridSession {
  readonly end: (end: SessionEnd) => void;
  readonly startedAt: number;
  /** Time (ms since 1970) of the last response to a command, or of the last keep-alive request to the grid. */
  usedAt: number;
  /**
   * Time (ms since 1970) at which the grid's status first omitted the session, or null if the last status listed it.
   */
  missingSince: number | null;
}

/**
 * Time (ms) for which the grid's status can omit a session before the session counts as lost. A restarted grid does not
 * list the sessions of all its nodes immediately.
 */
const MISSING_MS = 30_000;
/**
 * Time (ms) without a response from the grid after which all its sessions count as lost. By then, the grid itself has
 * ended them, if it has the default idle time-out.
 */
const GONE_MS = 10 * 60 * 1000;
/**
 * Maximum number of ended sessions whose ids are kept. If the grid still lists one of them as running, this server ends
 * it there.
 */
const MAX_ENDED = 1_000;
/**
 * Interval (ms) at which this server asks a grid that does not list its sessions whether it still has an unused
 * session. The interval is long, because each such request restarts the idle time-out of the session.
 */
const ASK_UNUSED_MS = 60 * 60 * 1000;

/**
 * Compares the sessions that were created through this server with those that the grid reports, and records the end of
 * lost ones.
 */
export class GridSessions {
  readonly #options: GridSessionOptions;
  readonly #open = new Map<string, GridSession>();
  /** The grid's own ids of the open sessions. */
  readonly #running = new Set<string>();
  /** The grid's own ids of sessions that have ended. */
  readonly #ended = new Set<string>();
  readonly #watch: GridWatch;

  /** Also follows the sessions that were already running when this server started. */
  constructor(options: GridSessionOptions) {
    this.#options = options;
    const { client, lab } = options;
    this.#watch = new GridWatch({
      ...options,
      answered: ({ sessions }, asked) =>
        sessions === null ? this.#askUnused() : this.#compare(sessions, asked),
      silent: (forMs) => this.#silent(forMs),
    });
    lab.onEnd(({ id }) => this.#forget(id));
    for (const { id, node, capabilities } of lab.sessions.running())
      if (node === client.name) lab.resumeSession(this.started(id, capabilities));
  }

  start(): void {
    this.#watch.start();
  }

  stop(): void {
    this.#watch.stop();
  }

  /**
   * Begins to follow a session of the grid.
   * @returns the object with which the device lab ends the session, and which tells the lab when it has ended
   */
  started(id: string, capabilities: Readonly<Record<string, unknown>>): StartedSession {
    const { client, clock } = this.#options;
    const now = clock.now();
    const ended = new Promise<SessionEnd>((end) => {
      this.#running.add(gridIdOf(id));
      this.#open.set(id, { end, startedAt: now, usedAt: now, missingSince: null });
    });
    return {
      id,
      capabilities,
      node: client.name,
      ended,
      end: async () => {
        try {
          await client.endSession(gridIdOf(id));
        } finally {
          this.#forget(id);
        }
      },
      keepAlive: async () => {
        this.used(id);
        await client.keepAlive(gridIdOf(id));
      },
    };
  }

  /** Returns whether a running session of this server has this id at the grid. */
  runs(gridId: string): boolean {
    return this.#running.has(gridId);
  }

  /** Records that the grid has just responded to a command of the session. */
  used(id: string): void {
    const session = this.#open.get(id);
    if (session !== undefined) session.usedAt = this.#options.clock.now();
  }

  /** Records that the grid has just sent a complete response. */
  responded(): void {
    this.#watch.responded();
  }

  /** Records the end of a session. Has no effect if the session is unknown or has already ended. */
  end(id: string, end: SessionEnd): void {
    this.#open.get(id)?.end(end);
  }

  /** Compares the open sessions with those that the grid runs. Never rejects. */
  look(): Promise<void> {
    return this.#watch.look();
  }

  #silent(forMs: number): void {
    if (forMs < GONE_MS) return;
    for (const { end } of this.#open.values()) end({ category: 'Session Lost', reason: 'the grid is gone' });
  }

  /**
   * Compares the open sessions with those in the grid's status.
   * @param asked time (ms since 1970) of the status request; a session that started later does not count as missing
   */
  #compare(running: NonNullable<GridStatus['sessions']>, asked: number): void {
    const now = this.#options.clock.now();
    for (const [id, session] of this.#open) {
      if (running.has(gridIdOf(id)) || session.startedAt >= asked) session.missingSince = null;
      else if (session.missingSince === null || now < session.missingSince) session.missingSince = now;
      else if (now - session.missingSince >= MISSING_MS) this.lost(id);
    }
    this.#endOrphans(running);
  }

  /** Records the end of a session. Call this when the grid reports that it does not have the session. */
  lost(id: string): void {
    this.end(id, { category: 'Session Lost', reason: 'the grid no longer has it' });
  }

  #forget(id: string): void {
    if (!this.#open.delete(id)) return;
    this.#running.delete(gridIdOf(id));
    if (this.#ended.size >= MAX_ENDED) this.#ended.clear();
    this.#ended.add(gridIdOf(id));
  }

  /** Ends sessions that still run at the grid although the lab has already recorded their end. */
  #endOrphans(running: NonNullable<GridStatus['sessions']>): void {
    const { client, log } = this.#options;
    for (const id of running) {
      if (!this.#ended.has(id)) continue;
      client.endSession(id).catch((error: unknown) => {
        log.warn('A session could not be ended at the grid', { session: id, cause: String(error) });
      });
    }
  }

  async #askUnused(): Promise<void> {
    const { client, clock } = this.#options;
    for (const [id, session] of [...this.#open]) {
      const now = clock.now();
      if (now - session.usedAt < ASK_UNUSED_MS) continue;
      session.usedAt = now;
      if (!(await client.keepAlive(gridIdOf(id)))) this.lost(id);
    }
  }
}
