/** Why a session ended that its client did not end (specification 9.2). */
export type FailureCategory = 'Timeout' | 'Session Lost' | 'Stale Element' | 'Hub Restart';

export type DriverSessionStatus = 'running' | 'ended' | 'passed' | 'failed';

/** The device as it was when the session started. */
interface SessionDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  /** Null: recorded by a version that did not keep it. */
  readonly osVersion: string | null;
}

/** A WebDriver session of this lab, running or over. Times are ms since 1970; never holds a secret. */
export interface DriverSession {
  /** The automation server's id. */
  readonly id: string;
  readonly name: string | null;
  readonly status: DriverSessionStatus;
  /** Account id; null: created without valid credentials (specification 5.4.4). */
  readonly ownerId: string | null;
  /** Null: the lab has no inventory and the driver picked for itself. */
  readonly device: SessionDevice | null;
  /** Name of the node it runs on; null: this server. */
  readonly node: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly failureCategory: FailureCategory | null;
  readonly failureReason: string | null;
  readonly tags: readonly string[];
  /** Null: not asked for. */
  readonly healingTiers: readonly number[] | null;
  /** What the driver answered, secrets masked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export type DriverSessionChange = Partial<
  Pick<DriverSession, 'name' | 'status' | 'endedAt' | 'failureCategory' | 'failureReason' | 'tags'>
>;

export interface DriverSessionFilter {
  /** Only this account's; absent: everyone's. */
  readonly ownerId?: string | undefined;
  readonly status?: DriverSessionStatus | undefined;
  /** The whole name, to the letter. */
  readonly name?: string | undefined;
  /**
   * What name, id, a tag, the device's name or `udid`, node or failure reason contains, ASCII letters in either case.
   * Looked for among the `SEARCHED_SESSIONS` newest that fit the rest.
   */
  readonly search?: string | undefined;
  /** Only older than this session; of one that is not there, or not of `ownerId`, nothing is. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A search of one caller holds up everyone else for as long as these take. */
export const SEARCHED_SESSIONS = 10_000;

/** Where sessions are kept. Synchronous like the stores of the core; throws `Unavailable` when it cannot answer. */
export interface DriverSessionStore {
  /** Throws when the id is there already. */
  insert(session: DriverSession): void;
  /** No effect on an unknown session. */
  update(id: string, change: DriverSessionChange): void;
  byId(id: string): DriverSession | undefined;
  /** Newest first; of those that started in the same millisecond, the one recorded last. */
  list(filter: DriverSessionFilter): DriverSession[];
  running(): DriverSession[];
  /** Sessions that ended before, the oldest first, `most` at once, with their command logs; answers how many. */
  removeEndedBefore(at: number, most: number): number;
}
