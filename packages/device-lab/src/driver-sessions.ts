import type { Clock, Log } from '@svc/auth-core';
import type {
  DriverSession,
  DriverSessionChange,
  DriverSessionFilter,
  DriverSessionStore,
  FailureCategory,
} from './driver-session.ts';
import type { SessionOwner } from './visibility/drive-session.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Number of sessions that one transaction removes. The number is small, because a session can have up to 4 MiB of
 * stored commands, and a large transaction would delay other requests.
 */
const REMOVED_AT_ONCE = 20;

/** Why a session ended. */
export interface SessionEnd {
  /** Category of the failure, or null if the client ended the session. */
  readonly category: FailureCategory | null;
  readonly reason: string | null;
}

/**
 * Stores more data when a session ends, such as webhook deliveries. This happens in the transaction that stores the end
 * of the session.
 */
export interface EndRecorder {
  /** Runs `work` in a transaction, so that either everything that it writes is stored or nothing is. */
  readonly transaction: <T>(work: () => T) => T;
  /** Called with the ended session, within the transaction that stores its end. */
  readonly ended: (session: DriverSession) => void;
}

/**
 * The sessions of the lab. The store contains all of them. Running sessions are also kept in memory, so that the check
 * of each command finds the owner of the session without reading the database.
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

  /**
   * @returns the id of the account that owns a running session, null if the session has no owner, or undefined if no
   * running session has this id
   */
  ownerOf(id: string): SessionOwner {
    return this.#running.get(id)?.ownerId;
  }

  /**
   * @returns the id of the running session that equals `id` except for letter case, or undefined if there is none.
   * Needed for log sockets, because Appium ignores the case of the session id in their path.
   */
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

  /** @returns the session that runs on a device, or undefined if there is none */
  runningOn(udid: string): DriverSession | undefined {
    for (const session of this.#running.values()) if (session.device?.udid === udid) return session;
    return undefined;
  }

  /** Returns the total time (ms) that the ended sessions of an agent ran after `since` (ms since 1970). */
  msOfAgent(agentId: string, since: number): number {
    return this.#store.msOfAgent(agentId, since);
  }

  /** Reads the sessions that match, newest first, in steps; see `DriverSessionStore.read`. */
  read(filter: DriverSessionFilter): Iterable<DriverSession | undefined> {
    return this.#store.read(filter);
  }

  /**
   * Records a new session. The session is stored first. If that fails, it is not added to memory either, so that the
   * lab has no session whose owner would be unknown after a restart.
   */
  record(session: DriverSession): void {
    this.#store.insert(session);
    this.#running.set(session.id, session);
  }

  change(id: string, change: DriverSessionChange): void {
    const session = this.#running.get(id);
    this.#store.update(id, change);
    if (session !== undefined) this.#running.set(id, { ...session, ...change });
  }

  /**
   * Ends a running session in memory, even if the end cannot be stored.
   * @returns the ended session, or undefined if no running session has this id
   */
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

  /**
   * Removes a limited number of sessions that ended more than `days` days ago.
   * @returns true if there may be more to remove, so that the caller should call this method again
   */
  removeOld(days: number): boolean {
    const before = this.#clock.now() - days * DAY_MS;
    return this.#store.removeEndedBefore(before, REMOVED_AT_ONCE) === REMOVED_AT_ONCE;
  }

  /**
   * Called when the server starts. Ends the sessions that were running on this server when it stopped. Sessions on
   * nodes are kept, because they continue (specification 9.1.4, 9.2).
   * @returns the ended sessions
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

  /**
   * Stores the end of a session and adds its webhook deliveries. Call it in a transaction, so that both are stored or
   * neither is.
   */
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
