/** Why a session ended, if its client did not end it (specification 9.2). */
export type FailureCategory = 'Timeout' | 'Session Lost' | 'Stale Element' | 'Hub Restart';

export type DriverSessionStatus = 'running' | 'ended' | 'passed' | 'failed';

/** The device as it was when the session started. */
interface SessionDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  /** Null if the session was recorded by a version that did not store it. */
  readonly osVersion: string | null;
}

/** A WebDriver session of this lab, running or ended. Times are ms since 1970. It never contains a secret. */
export interface DriverSession {
  /** Session id of the automation server. */
  readonly id: string;
  readonly name: string | null;
  readonly status: DriverSessionStatus;
  /** Account id, or null if it was created without valid credentials (specification 5.4.4). */
  readonly ownerId: string | null;
  /** Null if the lab has no devices, so that the driver picked one. */
  readonly device: SessionDevice | null;
  /** Name of the node on which it runs, or null for this server. */
  readonly node: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly failureCategory: FailureCategory | null;
  readonly failureReason: string | null;
  readonly tags: readonly string[];
  /** Null if the client requested none. */
  readonly healingTiers: readonly number[] | null;
  /** Capabilities that the driver returned, with secrets masked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export type DriverSessionChange = Partial<
  Pick<DriverSession, 'name' | 'status' | 'endedAt' | 'failureCategory' | 'failureReason' | 'tags'>
>;

export interface DriverSessionFilter {
  /** Only sessions of this account. */
  readonly ownerId?: string | undefined;
  readonly status?: DriverSessionStatus | undefined;
  /** The exact name. */
  readonly name?: string | undefined;
  /**
   * Text that the name, id, a tag, the name or `udid` of the device, the node or the failure reason contains. The case
   * of ASCII letters is ignored. Only the `SEARCHED_SESSIONS` newest sessions that match the other fields are searched.
   */
  readonly search?: string | undefined;
  /** Only sessions older than the one with this id. None match if it is unknown or does not belong to `ownerId`. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Sessions that one search reads. All other requests wait for it. */
export const SEARCHED_SESSIONS = 10_000;

/** Stores sessions. Synchronous like the stores of the core. Throws `Unavailable` if it cannot be read or written. */
export interface DriverSessionStore {
  /** Throws if the id exists. */
  insert(session: DriverSession): void;
  /** No effect on an unknown session. */
  update(id: string, change: DriverSessionChange): void;
  byId(id: string): DriverSession | undefined;
  /** Newest first. Of sessions that started in the same millisecond, the one recorded last comes first. */
  list(filter: DriverSessionFilter): DriverSession[];
  running(): DriverSession[];
  /**
   * Removes at most `most` sessions that ended before `at`, oldest first, with their command logs.
   * @returns how many were removed
   */
  removeEndedBefore(at: number, most: number): number;
}
