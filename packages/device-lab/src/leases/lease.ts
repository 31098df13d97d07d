/** A device reserved for an account (contract 2, `/leases`). Times are ms since 1970. */
export interface Lease {
  readonly id: string;
  readonly udid: string;
  /** Account id. */
  readonly ownerId: string;
  /** SHA-256 of the lease token, hex. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Synchronous like the other stores. A lease is removed with the account of its holder. */
export interface LeaseStore {
  /** Sorted by time of creation. */
  all(): Lease[];
  /** Throws `Conflict` if the device is leased. */
  insert(lease: Lease): void;
  /** Extending an unknown lease has no effect. */
  extend(id: string, expiresAt: number): void;
  /** Removing an unknown lease has no effect. */
  remove(id: string): void;
}

/** Whose lease a device has: the one that the create names, another one of the caller, none, or one of someone else. */
export type Claim = 'brought' | 'own' | 'none' | 'others';

/** Used when no device is leased. */
export const NO_CLAIMS = (): Claim => 'none';
