import type { Clock, Log, SessionOwner } from '@svc/auth-core';
import type {
  DriverSession,
  DriverSessionChange,
  DriverSessionFilter,
  DriverSessionStore,
  FailureCategory,
} from './driver-session.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Removed in one transaction, each with up to 4 MiB of commands. */
const REMOVED_AT_ONCE = 20;

/** How a session ended. */
export interface SessionEnd {
  /** Null: its client ended it. */
  readonly category: FailureCategory | null;
  readonly reason: string | null;
}

/** What the end of a session writes besides its record. */
export interface EndRecorder {
  /** Everything `work` stores is stored or nothing is. */
  readonly transaction: <T>(work: () => T) => T;
  /** Called within. */
  readonly ended: (session: DriverSession) => void;
}

/**
 * The sessions of the lab. Running ones are held in memory, so that the gate asks no database for an owner;
 * the store keeps all of them.
 */
export class DriverSessions {
  readonly #store: DriverSessionStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #recorder: EndRecorder;
  readonly #running = new Map<string, DriverSession>();

  constructor(store: DriverSessionStore, clock: Clock, log: Log, recorder: EndRecorder) {
    this.#store = store;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#log = log;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Owner of a running session; `undefined`: unknown session. One map look-up. */
  ownerOf(id: string): SessionOwner {
    return this.#running.get(id)?.ownerId;
  }

  /** Id of a running session, in any letter case: Appium matches the path of a log socket that way. */
  findIgnoringCase(id: string): string | undefined {
    if (this.#running.has(id)) return id;
    const wanted = id.toLowerCase();
    for (const running of this.#running.keys()) if (running.toLowerCase() === wanted) return running;
    return undefined;
  }

  byId(id: string): DriverSession | undefined {
    return this.#running.get(id) ?? this.#store.byId(id);
  }

  running(): DriverSession[] {
    return [...this.#running.values()];
  }

  /** Newest first. */
  list(filter: DriverSessionFilter): DriverSession[] {
    return this.#store.list(filter);
  }

  /** Stored first: a session whose owner could not be recorded stays unknown. */
  record(session: DriverSession): void {
    this.#store.insert(session);
    this.#running.set(session.id, session);
  }

  change(id: string, change: DriverSessionChange): void {
    const session = this.#running.get(id);
    this.#store.update(id, change);
    if (session !== undefined) this.#running.set(id, { ...session, ...change });
  }

  /** The first end reported counts. It takes effect at once, even if it cannot be stored. */
  end(id: string, end: SessionEnd): DriverSession | undefined {
    const session = this.#running.get(id);
    if (session === undefined) return undefined;
    this.#running.delete(id);
    const change = endOf(session, end, this.#clock.now());
    try {
      this.#recorder.transaction(() => this.#storeEnd(session, change));
    } catch (error) {
      this.#log.error('The end of a session could not be stored', { session: id, cause: String(error) });
    }
    return { ...session, ...change };
  }

  /** Removes some records of sessions that ended so many days ago; true: there are more. */
  removeOld(days: number): boolean {
    const before = this.#clock.now() - days * DAY_MS;
    return this.#store.removeEndedBefore(before, REMOVED_AT_ONCE) === REMOVED_AT_ONCE;
  }

  /**
   * At start: what this server ran when it stopped is over, sessions on nodes go on (specification 9.1.4, 9.2). Answers
   * those that are over.
   */
  closeLeftovers(): DriverSession[] {
    const now = this.#clock.now();
    const end: SessionEnd = { category: 'Hub Restart', reason: 'the server was restarted' };
    const running = this.#store.running();
    for (const session of running) if (session.node !== null) this.#running.set(session.id, session);
    const leftovers = running.filter(({ node }) => node === null);
    this.#recorder.transaction(() => {
      for (const session of leftovers) this.#storeEnd(session, endOf(session, end, now));
    });
    return leftovers.map((session) => ({ ...session, ...endOf(session, end, now) }));
  }

  /** With what it makes others be told: a session has ended and they are told of it, or neither. */
  #storeEnd(session: DriverSession, change: DriverSessionChange): void {
    this.#store.update(session.id, change);
    this.#recorder.ended({ ...session, ...change });
  }
}

function endOf(session: DriverSession, end: SessionEnd, now: number): DriverSessionChange {
  const status = session.status === 'running' ? (end.category === null ? 'ended' : 'failed') : session.status;
  return {
    status,
    endedAt: now,
    failureCategory: end.category,
    failureReason: end.reason ?? session.failureReason,
  };
}
