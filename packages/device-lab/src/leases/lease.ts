/** A device reserved for an account (contract 2, `/leases`). Times are ms since 1970. */
export interface Lease {
  readonly id: string;
  readonly udid: string;
  /** Id of the account that holds the lease. */
  readonly ownerId: string;
  /** SHA-256 of the lease token in hex. The token itself is not stored. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Stores leases. The methods are synchronous, because the database is SQLite in the same process. If an account is
 * deleted, its leases are removed with it.
 */
export interface LeaseStore {
  /** Returns all leases, sorted by time of creation. */
  all(): Lease[];
  /** Adds a lease. Throws `Conflict` if the device is already leased. */
  insert(lease: Lease): void;
  /** Changes the end of a lease. Changing an unknown lease has no effect. */
  extend(id: string, expiresAt: number): void;
  /** Removes a lease. Removing an unknown lease has no effect. */
  remove(id: string): void;
}

/**
 * How a create-session request relates to the lease of a device: the request contains the lease's id and token
 * (`brought`), the session's owner holds the lease but the request does not contain it (`own`), the device is not
 * leased (`none`), or another account holds the lease (`others`).
 */
export type Claim = 'brought' | 'own' | 'none' | 'others';

/** @returns `none`, for any device. Used while no device is leased. */
export const NO_CLAIMS = (): Claim => 'none';
