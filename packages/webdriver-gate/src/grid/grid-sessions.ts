import { type Clock, gridIdOf, type Log } from '@svc/auth-core';
import type { DeviceLab, SessionEnd, StartedSession } from '@svc/device-lab';
import type { GridClient, GridStatus } from './grid-client.ts';
import { GridWatch } from './grid-watch.ts';

interface GridSessionOptions {
  readonly client: GridClient;
  readonly lab: DeviceLab;
  readonly clock: Clock;
  readonly log: Log;
}

interface GridSession {
  readonly end: (end: SessionEnd) => void;
  readonly startedAt: number;
  /** When a command was answered last, or the grid was asked about it (ms). */
  usedAt: number;
  /** When the grid was first asked and did not name it, again and again since (ms); null: it named it last. */
  missingSince: number | null;
}

/** A hub that was restarted hears of its nodes, and what they run, a little later. */
const MISSING_MS = 30_000;
/** It does not answer for so long: its sessions are lost. Longer than its own idle time-out is by default. */
const GONE_MS = 10 * 60 * 1000;
/** Sessions that are over and may go on at the grid; beyond, its idle time-out ends them. */
const MAX_ENDED = 1_000;
/** A grid that names no sessions is asked about one that is not used, as rarely: asking keeps it alive. */
const ASK_UNUSED_MS = 60 * 60 * 1000;

/** The sessions that were created through this entrance, and what the grid says of them. */
export class GridSessions {
  readonly #options: GridSessionOptions;
  readonly #open = new Map<string, GridSession>();
  /** The grid's own ids of those. */
  readonly #running = new Set<string>();
  /** The same of sessions that are over. */
  readonly #ended = new Set<string>();
  readonly #watch: GridWatch;

  /** What ran when this server stopped goes on. */
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

  /** A session that runs there, as the lab sees it. */
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

  /** Whether a session of this entrance runs under an id of the grid. */
  runs(gridId: string): boolean {
    return this.#running.has(gridId);
  }

  /** A command of it was answered. */
  used(id: string): void {
    const session = this.#open.get(id);
    if (session !== undefined) session.usedAt = this.#options.clock.now();
  }

  /** The grid has answered a request, whole. */
  heard(): void {
    this.#watch.heard();
  }

  /** The first end counts. No effect on one that is not here. */
  end(id: string, end: SessionEnd): void {
    this.#open.get(id)?.end(end);
  }

  /** Compares with what the grid runs. Never rejects. */
  look(): Promise<void> {
    return this.#watch.look();
  }

  #silent(forMs: number): void {
    if (forMs < GONE_MS) return;
    for (const { end } of this.#open.values()) end({ category: 'Session Lost', reason: 'the grid is gone' });
  }

  /** `asked`: when it was asked, so that what started since is not missing. */
  #compare(running: NonNullable<GridStatus['sessions']>, asked: number): void {
    const now = this.#options.clock.now();
    for (const [id, session] of this.#open) {
      if (running.has(gridIdOf(id)) || session.startedAt >= asked) session.missingSince = null;
      else if (session.missingSince === null || now < session.missingSince) session.missingSince = now;
      else if (now - session.missingSince >= MISSING_MS) this.lost(id);
    }
    this.#endOrphans(running);
  }

  /** The grid says it has no such session. */
  lost(id: string): void {
    this.end(id, { category: 'Session Lost', reason: 'the grid no longer has it' });
  }

  #forget(id: string): void {
    if (!this.#open.delete(id)) return;
    this.#running.delete(gridIdOf(id));
    if (this.#ended.size >= MAX_ENDED) this.#ended.clear();
    this.#ended.add(gridIdOf(id));
  }

  /** Sessions of this entrance that go on at the grid, though the lab has filed their end. */
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
