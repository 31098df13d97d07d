import type { PhoneContent } from './phone-content.ts';

/** A phone with its holder, from the beginning of the holder until the phone is clean (contract 17.3). */
export interface CleaningRow {
  readonly udid: string;
  /** Account that owns the session or the lease, or null for a session without an owner. */
  readonly holderId: string | null;
  readonly mode: 'apps' | 'data';
  /** Time (ms since 1970) at which the holder began. */
  readonly since: number;
  /** What was on the phone when the holder began, or null if it could not be read. */
  readonly before: PhoneContent | null;
  /** Ids of the newest sessions of the holder, whose records tell what was removed. */
  readonly sessions: readonly string[];
  /** Whether an Admin wants the phone left unchanged. */
  readonly isKept: boolean;
}

/** Stores which phones have to be cleaned. The methods are synchronous and join an open transaction. */
export interface CleaningStore {
  all(): CleaningRow[];
  /** Adds a row, or replaces that of the same phone. */
  save(row: CleaningRow): void;
  remove(udid: string): void;
}

/** What the record of a session tells about the cleaning after it. */
export interface SessionClean {
  /**
   * `pending` until the phone is clean, then `cleaned`; `kept` if an Admin had it left unchanged; `failed` if it could
   * not be cleaned.
   */
  readonly state: 'pending' | 'cleaned' | 'kept' | 'failed';
  /** Packages and paths that were removed, and names of values that were set back, at most `MOST_REMOVED`. */
  readonly removed: readonly string[];
  /** Time (ms since 1970) of the end of the cleaning, or null while it is pending. */
  readonly at: number | null;
}
