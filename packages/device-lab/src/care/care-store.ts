/** A phone that is out of service, so that no session and no lease takes it (contract 17.1). */
export interface OutOfServiceRow {
  readonly udid: string;
  /** Reason in words, which everyone who sees the phone may read. */
  readonly reason: string;
  /** Account of the Admin who put the phone out of service, or null if the lab did. */
  readonly byId: string | null;
  /** Time (ms since 1970) at which the phone was put out of service. */
  readonly since: number;
  /** Time (ms since 1970) at which the phone returns automatically, or null if it does not. */
  readonly until: number | null;
}

/** Stores which phones are out of service. The methods are synchronous and join an open transaction. */
export interface CareStore {
  all(): OutOfServiceRow[];
  /** Adds a row, or replaces that of the same phone. */
  save(row: OutOfServiceRow): void;
  remove(udid: string): void;
}
