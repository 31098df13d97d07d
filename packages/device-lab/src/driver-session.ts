import type { SessionClean } from './care/cleaning/cleaning-store.ts';

/** Why a session ended although its client did not end it (specification 9.2). */
export type FailureCategory = 'Timeout' | 'Session Lost' | 'Stale Element' | 'Hub Restart' | 'Driver Crash';

export type DriverSessionStatus = 'running' | 'ended' | 'passed' | 'failed';

/** The session's device as it was described when the session started. */
export interface SessionDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  /** Version of the operating system, or null if an older version of svc recorded the session without it. */
  readonly osVersion: string | null;
}

/** A WebDriver session of this lab, running or ended. Times are ms since 1970. The record never contains a secret. */
export interface DriverSession {
  /** Id of the session, which the automation server assigned. */
  readonly id: string;
  readonly name: string | null;
  readonly status: DriverSessionStatus;
  /**
   * Id of the account that owns the session, or null if the session was created without valid credentials
   * (specification 5.4.4).
   */
  readonly ownerId: string | null;
  /** Device of the session, or null if the lab has no devices, so that the driver picked one. */
  readonly device: SessionDevice | null;
  /** Name of the node on which the session runs, or null if it runs on this server. */
  readonly node: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly failureCategory: FailureCategory | null;
  readonly failureReason: string | null;
  readonly tags: readonly string[];
  /** Tiers of the `healingTiers` capability (contract 6.5), or null if the client sent none. */
  readonly healingTiers: readonly number[] | null;
  /**
   * CI run that created the session, such as `owner/repo@main, run 812`, or null if the session was not created with
   * the token of a CI run (contract 10.3).
   */
  readonly startedBy: string | null;
  /** http(s) address of that run at the CI service, or absent if it is not known. */
  readonly startedByUrl?: string;
  /** Capabilities that the driver returned, masked and limited as `storedCapabilities` describes. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The AI agent that created the session, or absent if no agent did (contract 12). */
  readonly agent?: SessionAgent;
  /** Cleaning of the phone after the session, or absent if it is not cleaned (contract 17.3). */
  readonly clean?: SessionClean;
}

/** The AI agent whose `svc-mcp` token created a session. */
export interface SessionAgent {
  /** Id of the agent, which is the `jti` of its `svc-mcp` token. */
  readonly id: string;
  /** Time (ms since 1970) at which the token expires. The session then ends, too. */
  readonly until: number;
  /**
   * Maximum number of minutes that the agent's sessions may take together in a day (UTC), or null if the token sets no
   * limit.
   */
  readonly minutes: number | null;
}

export type DriverSessionChange = Partial<
  Pick<DriverSession, 'name' | 'status' | 'endedAt' | 'failureCategory' | 'failureReason' | 'tags' | 'clean'>
>;

type DriverSessionOrder = 'newest' | 'oldest' | 'longest' | 'shortest';

export interface DriverSessionFilter {
  /** Id of the account whose sessions are selected. */
  readonly ownerId?: string | undefined;
  readonly status?: DriverSessionStatus | undefined;
  /** Exact name of the sessions to select. */
  readonly name?: string | undefined;
  /**
   * Text to search for. A session matches if the text occurs in its name, id, tags, node or failure reason, or in the
   * name or `udid` of its device. The case of ASCII letters is ignored. With `search`, `udid`, `tag` or `category`,
   * or with `name` in an order by duration, only the first `SEARCHED_SESSIONS` sessions in this order that match the
   * other fields are read.
   */
  readonly search?: string | undefined;
  /** UDID of the device. */
  readonly udid?: string | undefined;
  /** A tag of the session, case-sensitive. */
  readonly tag?: string | undefined;
  readonly category?: string | undefined;
  /** Earliest start (ms since 1970), inclusive. */
  readonly from?: number | undefined;
  /** Latest start (ms since 1970), exclusive. */
  readonly to?: number | undefined;
  /** Which sessions come first. Default: the newest. `longest` and `shortest` select only sessions that have ended. */
  readonly order?: DriverSessionOrder | undefined;
  /**
   * Id of a session: only sessions that follow it in this order are selected. If the id is unknown, or its session
   * does not belong to `ownerId`, nothing is selected.
   */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Maximum number of sessions that one search reads. */
export const SEARCHED_SESSIONS = 10_000;

/**
 * Stores sessions. The methods are synchronous, because the database is SQLite in the same process. Every method throws
 * `Unavailable` if the database cannot be read or written.
 */
export interface DriverSessionStore {
  /** Adds a session. Throws if the id already exists. */
  insert(session: DriverSession): void;
  /** Changes fields of a session. Changing an unknown session has no effect. */
  update(id: string, change: DriverSessionChange): void;
  byId(id: string): DriverSession | undefined;
  /**
   * Reads the sessions that match, in the order of the filter, when they are requested. Of sessions that started in the
   * same millisecond, the one recorded last comes first. An undefined item marks a step after which other requests may
   * run.
   */
  read(filter: DriverSessionFilter): Iterable<DriverSession | undefined>;
  running(): DriverSession[];
  /** Returns the total time (ms) that the ended sessions of an agent ran after `since` (ms since 1970). */
  msOfAgent(agentId: string, since: number): number;
  /**
   * Removes sessions that ended before `at` (ms since 1970), with their command logs: the oldest first, and at most
   * `most`.
   * @returns the number of removed sessions
   */
  removeEndedBefore(at: number, most: number): number;
}
