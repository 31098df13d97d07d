import type { StoredCaller } from './stored-caller.ts';

/** The client that sent the last request to an attach address. */
export interface AttachUse {
  readonly at: number;
  /** Client address, or null if it is not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * An attach address: a path with a secret, at which a client without credentials can send commands to one session for
 * some minutes (contract 15.4). Times are ms since 1970.
 */
export interface AttachAddress {
  readonly id: string;
  readonly sessionId: string;
  /** SHA-256 of the secret in hex. The secret itself is not stored. */
  readonly hash: string;
  /** Id of the account that made the address. The commands that are sent to it count as commands of this account. */
  readonly accountId: string;
  /** The credential with which the address was made, which is checked again and again. */
  readonly maker: StoredCaller;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUse: AttachUse | null;
}

/**
 * Stores attach addresses. The methods are synchronous, because the database is SQLite in the same process. If an
 * account is deleted, its attach addresses are removed with it.
 */
export interface AttachStore {
  /** Returns all attach addresses, sorted by time of creation. */
  all(): AttachAddress[];
  insert(address: AttachAddress): void;
  /** Stores the last use of an address. Has no effect on an unknown address. */
  used(id: string, use: AttachUse): void;
  /** Removes an address. Removing an unknown address has no effect. */
  remove(id: string): void;
}
