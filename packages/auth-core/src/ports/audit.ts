/** What happened. Never contains a secret. */
export interface AuditEvent {
  /** Named after the OWASP logging vocabulary: `authn_login_success`, `authz_fail`, `user_created`, … */
  readonly event: string;
  readonly outcome: 'success' | 'failure';
  /** Account id or e-mail address of the actor, or `command line`; null if the actor is unknown. */
  readonly actor: string | null;
  readonly target: string | null;
  /** The client's address as the proxies report it. */
  readonly address: string | null;
  /** Remote address of the socket; null without a connection, or in rows of versions that did not store it. */
  readonly peer: string | null;
  readonly requestId: string | null;
  readonly reason: string | null;
}

/** A row before the trail adds it to the chain. */
export interface AuditEntry extends AuditEvent {
  readonly id: string;
  readonly at: number;
}

export interface AuditRow extends AuditEntry {
  readonly hash: string;
  readonly previousHash: string;
}

/** The end of the audit trail, which can be stored elsewhere. */
export interface AuditHead {
  /** Number of rows ever written, including those that retention removed. */
  readonly count: number;
  /** Hash of the last row; 64 zeros if there is none. */
  readonly hash: string;
}

export interface AuditCheck {
  readonly head: AuditHead;
  /** Number of rows that retention removed. */
  readonly removed: number;
  /**
   * Number of rows of versions whose chain had no key, which anyone with write access to the database could rewrite.
   */
  readonly unkeyed: number;
  /** The first problem, with the id of its row, or null if the chain is intact. */
  readonly problem: string | null;
}

export interface RemovedRows {
  readonly count: number;
  /** The first problem among them, as in `AuditCheck`. */
  readonly problem: string | null;
}

/** An account and an address it signed in from. */
export interface PastSignIn {
  readonly accountId: string;
  readonly address: string;
}

/** Filter of rows. Every field that is present has to match. */
export interface AuditFilter {
  /** Account id. */
  readonly actor?: string | undefined;
  readonly event?: string | undefined;
  /** Earliest time (ms), inclusive. */
  readonly from?: number | undefined;
  /** Latest time (ms), exclusive. */
  readonly to?: number | undefined;
}

/** A limited search of the trail. */
export interface AuditSearch {
  readonly filter: AuditFilter;
  /** Id of a row; selects the rows appended before it. Null for all rows. */
  readonly before: string | null;
  /** Maximum number of rows found. */
  readonly limit: number;
  /** Maximum number of rows read. */
  readonly scan: number;
}

export interface AuditFound {
  /** Newest first. */
  readonly rows: AuditRow[];
  /** `before` of the next search, or null if this one reached the oldest row. */
  readonly next: string | null;
}

export interface AuditReader {
  has(id: string): boolean;
  /** Rows, newest first. `before` is the id of a row and selects the rows appended before it. */
  page(before: string | null, limit: number): AuditRow[];
  /** Finds nothing if `before` is unknown. */
  search(search: AuditSearch): AuditFound;
  head(): AuditHead;
  /** All rows in the order of the chain, read as the iterator advances. */
  oldestFirst(): Iterable<AuditRow>;
  /** Reads every row and checks whether any was changed, added or removed without this store. */
  check(): AuditCheck;
  /** `check` in steps, between which rows may be appended and removed. Yields the number of rows read so far. */
  checkInSteps(): Generator<number, AuditCheck, void>;
  /** Addresses that accounts signed in from, newest first, at most `ofEach` per account. */
  pastSignIns(ofEach: number): PastSignIn[];
}

export interface AuditStore extends AuditReader {
  /** Appends in this order. Throws `Conflict` if an id is taken; the entries before it are appended. */
  append(...entries: readonly AuditEntry[]): void;
  /**
   * Removes at most `most` of the oldest rows, up to the first one at `time` or later. The chain then begins after
   * them.
   */
  removeBefore(time: number, most: number): RemovedRows;
}
