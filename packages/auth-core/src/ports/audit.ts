/** What happened. Never holds a secret. */
export interface AuditEvent {
  /** Named after the OWASP logging vocabulary: `authn_login_success`, `authz_fail`, `user_created`, … */
  readonly event: string;
  readonly outcome: 'success' | 'failure';
  /** Account id or e-mail of who did it, or `command line`; null: nobody known. */
  readonly actor: string | null;
  readonly target: string | null;
  /** The client's address as the proxies on the way claim it. */
  readonly address: string | null;
  /** The socket's own address; null: there was no connection, or a version wrote the row that did not keep it. */
  readonly peer: string | null;
  readonly requestId: string | null;
  readonly reason: string | null;
}

/** Before the trail gives it its place in the chain. */
export interface AuditEntry extends AuditEvent {
  readonly id: string;
  readonly at: number;
}

export interface AuditRow extends AuditEntry {
  readonly hash: string;
  readonly previousHash: string;
}

/** The end of the audit trail, for keeping elsewhere. */
export interface AuditHead {
  /** Rows ever written, those that retention removed included. */
  readonly count: number;
  /** Of the last one; 64 zeros when there is none. */
  readonly hash: string;
}

export interface AuditCheck {
  readonly head: AuditHead;
  /** Rows that retention removed. */
  readonly removed: number;
  /** Rows of a version whose chain had no key: whoever could write the database then could rewrite them. */
  readonly unkeyed: number;
  /** The first thing that does not fit, with the row's id; null: the chain holds. */
  readonly problem: string | null;
}

export interface RemovedRows {
  readonly count: number;
  /** What did not fit among them, as in `AuditCheck`. */
  readonly problem: string | null;
}

/** An account and an address it signed in from. */
export interface PastSignIn {
  readonly accountId: string;
  readonly address: string;
}

/** Which rows are wanted; all that is named has to fit. */
export interface AuditFilter {
  /** Account id. */
  readonly actor?: string | undefined;
  readonly event?: string | undefined;
  /** It happened then (ms) or later. */
  readonly from?: number | undefined;
  /** It happened before then (ms). */
  readonly to?: number | undefined;
}

/** A bounded look into the trail. */
export interface AuditSearch {
  readonly filter: AuditFilter;
  /** Id of a row: only what was appended before it. */
  readonly before: string | null;
  /** Rows found, at most. */
  readonly limit: number;
  /** Rows looked at, at most. */
  readonly scan: number;
}

export interface AuditFound {
  /** Last appended first. */
  readonly rows: AuditRow[];
  /** Where the search goes on (`before`); null: at the oldest row. */
  readonly next: string | null;
}

export interface AuditReader {
  has(id: string): boolean;
  /** Last appended first; `before` is an id: only what was appended before that row. */
  page(before: string | null, limit: number): AuditRow[];
  /** Nothing is found before an unknown row. */
  search(search: AuditSearch): AuditFound;
  head(): AuditHead;
  /** All of it, in the order of the chain; read as it is asked for. */
  oldestFirst(): Iterable<AuditRow>;
  /** Reads every row, to say whether any was changed, added or removed past this store. */
  check(): AuditCheck;
  /** `check` in steps: rows may be appended and removed between them. Yields how many rows were read so far. */
  checkInSteps(): Generator<number, AuditCheck, void>;
  /** Where accounts signed in from, newest first: of each only so many, so that none pushes out the others. */
  pastSignIns(ofEach: number): PastSignIn[];
}

export interface AuditStore extends AuditReader {
  /** In this order. Throws `Conflict` when an id is taken; those before it are appended. */
  append(...entries: readonly AuditEntry[]): void;
  /**
   * Removes the oldest rows up to the first that happened at `time` or later, at most `most` of them. The chain then
   * begins after them.
   */
  removeBefore(time: number, most: number): RemovedRows;
}
