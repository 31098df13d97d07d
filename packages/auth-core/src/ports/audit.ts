/** An event that the audit trail records. Never contains a secret. */
export interface AuditEvent {
  /** Name of the event from the OWASP logging vocabulary: `authn_login_success`, `authz_fail`, `user_created`, … */
  readonly event: string;
  readonly outcome: 'success' | 'failure';
  /** Account id or e-mail address of the actor, or `command line`. Null if the actor is unknown. */
  readonly actor: string | null;
  readonly target: string | null;
  /** Client address that the proxies report. A client can invent it, so it proves nothing. */
  readonly address: string | null;
  /**
   * Remote address of the socket. Null if there was no connection, and in rows of versions that did not store the
   * address.
   */
  readonly peer: string | null;
  readonly requestId: string | null;
  readonly reason: string | null;
  /**
   * How the request came that caused the event: `mcp` for a call of an MCP tool (contract 12), `attach` for an attach
   * address (contract 15.4), otherwise null or absent.
   */
  readonly via?: string | null;
}

/** An audit row before the trail adds it to the chain of hashes. */
export interface AuditEntry extends AuditEvent {
  readonly id: string;
  readonly at: number;
}

export interface AuditRow extends AuditEntry {
  readonly hash: string;
  readonly previousHash: string;
}

/**
 * Number and hash at the end of the audit trail. An operator can store them elsewhere, to detect later whether rows
 * were removed from the end.
 */
interface AuditHead {
  /** Number of rows ever written, including those that were removed after the retention period. */
  readonly count: number;
  /** Hash of the last row, or 64 zeros if there is no row. */
  readonly hash: string;
}

export interface AuditCheck {
  readonly head: AuditHead;
  /** Number of old rows that were removed because the retention period was over. */
  readonly removed: number;
  /**
   * Number of old rows whose hashes were computed without a secret key. Anyone with write access to the database could
   * have changed these rows and their hashes without being detected.
   */
  readonly unkeyed: number;
  /** Description of the first problem with the id of its row, or null if the chain is intact. */
  readonly problem: string | null;
}

interface RemovedRows {
  readonly count: number;
  /** Description of the first problem among the removed rows, or null if their part of the chain was intact. */
  readonly problem: string | null;
}

/** An account and an address from which its owner signed in. */
interface PastSignIn {
  readonly accountId: string;
  readonly address: string;
}

/** Filter of audit rows. A row is found if it matches every field that is present. */
interface AuditFilter {
  /** Account id of the actor. */
  readonly actor?: string | undefined;
  readonly event?: string | undefined;
  /** Earliest time of the rows (ms since 1970), inclusive. */
  readonly from?: number | undefined;
  /** Latest time of the rows (ms since 1970), exclusive. */
  readonly to?: number | undefined;
}

/**
 * A search of the audit trail. It has limits, because one long search would block all other requests of the process.
 */
export interface AuditSearch {
  readonly filter: AuditFilter;
  /** Which rows come first. Default: the newest. */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** Id of a row: only rows that follow it in this order are searched. Null to search all rows. */
  readonly before: string | null;
  /** Maximum number of rows that the search returns. */
  readonly limit: number;
  /** Maximum number of rows that the search reads, including rows that do not match the filter. */
  readonly scan: number;
}

export interface AuditFound {
  /** Rows that match the filter, in the order of the search. */
  readonly rows: AuditRow[];
  /** Value of `before` for the next search, or null if this search reached the last row. */
  readonly next: string | null;
}

export interface AuditReader {
  has(id: string): boolean;
  /**
   * Returns at most `limit` rows that were appended before the row with the id `before`, or the newest rows if `before`
   * is null. Newest first.
   */
  page(before: string | null, limit: number): AuditRow[];
  /** Returns the rows that match the search. If there is no row with the id `before`, no rows are returned. */
  search(search: AuditSearch): AuditFound;
  head(): AuditHead;
  /** Returns all rows in the order of the chain. The rows are read as the iterator advances. */
  oldestFirst(): Iterable<AuditRow>;
  /** Reads every row and checks whether any row was changed, added or removed by other means than this store. */
  check(): AuditCheck;
  /**
   * Runs `check` in steps, between which rows may be appended and removed. Yields the number of rows that it has read.
   */
  checkInSteps(): Generator<number, AuditCheck, void>;
  /** Returns the addresses from which accounts signed in, newest first, at most `ofEach` per account. */
  pastSignIns(ofEach: number): PastSignIn[];
}

export interface AuditStore extends AuditReader {
  /**
   * Appends rows in the given order. Throws `Conflict` if the id of a row is taken, after it has appended the rows
   * before that one.
   */
  append(...entries: readonly AuditEntry[]): void;
  /**
   * Removes at most `most` of the oldest rows, and stops at the first row that is not older than `time`. The chain then
   * begins after the removed rows.
   */
  removeBefore(time: number, most: number): RemovedRows;
}
