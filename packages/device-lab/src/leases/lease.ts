import type { Caller } from '@svc/auth-core';

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
  /** The agent that created the lease, or absent if no agent did. The lease ends with it (contract 4, 12). */
  readonly agent?: LeaseAgent;
}

/** An agent (AI client) with the credential with which it created a lease. Contains no secret. */
export interface LeaseAgent {
  /** Id of the agent, which is the `jti` of its `svc-mcp` token. */
  readonly id: string;
  /** Time (ms since 1970) at which the credential expires. */
  readonly until: number;
  /** Maximum number of minutes a day that the agent's token allows, or null for no limit. */
  readonly minutes: number | null;
  readonly credential: Caller['credential'];
  /** Sign-in epoch of the account when the lease was created. A new password may end the credential. */
  readonly signInEpoch: number;
}

/** @returns the agent of a lease that a caller creates, or no field if the caller is no agent */
export function leaseAgentOf({ account, credential, expiresAt }: Caller): Pick<Lease, 'agent'> {
  const { agent } = credential;
  if (agent === null || expiresAt === null) return {};
  const { id, minutes } = agent;
  return { agent: { id, until: expiresAt, minutes, credential, signInEpoch: account.signInEpoch } };
}

/** Time (ms) for which an agent held leased phones without a session on one day. */
export interface LeasedTime {
  /** Id of the agent. */
  readonly id: string;
  readonly ms: number;
}

/** Stores for how long agents held leased phones, so that a restart does not give them new minutes (contract 12). */
export interface LeasedTimeStore {
  /** @param day beginning of the day in ms since 1970 */
  leasedTimes(day: number): LeasedTime[];
  /** Replaces the times of these agents, and removes those of other days. */
  saveLeasedTimes(day: number, times: readonly LeasedTime[]): void;
}

/**
 * Stores leases. The methods are synchronous, because the database is SQLite in the same process. If an account is
 * deleted, its leases are removed with it.
 */
export interface LeaseStore extends LeasedTimeStore {
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
