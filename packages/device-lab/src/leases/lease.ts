/** A device kept for an account (contract 2, `/leases`). Times are ms since 1970. */
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

/** Synchronous like the other stores; a lease goes with the account of its holder. */
export interface LeaseStore {
  /** By time of creation. */
  all(): Lease[];
  /** Throws `Conflict` when the device is leased. */
  insert(lease: Lease): void;
  /** No effect on an unknown one. */
  extend(id: string, expiresAt: number): void;
  /** No effect on an unknown one. */
  remove(id: string): void;
}

/** How a device stands to whoever asks for one. */
export type Claim = 'brought' | 'own' | 'none' | 'others';

/** Every device without a lease. */
export const NO_CLAIMS = (): Claim => 'none';
