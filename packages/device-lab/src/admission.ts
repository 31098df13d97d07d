import type { Caller } from '@svc/auth-core';
import type { LeaseCredential, RecordingOptions } from './capabilities/session-options.ts';

/**
 * Result of checking the credentials of a create-session request that is allowed: who owns the session, and what the
 * session is allowed to use.
 */
export interface Admission {
  /** Owner of the session, or null if the session has no owner. */
  readonly caller: Caller | null;
  /**
   * Whether the session has no owner although sign-in is on. This is logged once the session exists (specification
   * 5.4.4).
   */
  readonly lacksCredentials: boolean;
  /**
   * Id of the team whose devices the session can use, or null if it can use every device that the caller is allowed to
   * see.
   */
  readonly teamId: string | null;
  readonly maySee: (teamId: string | null) => boolean;
  readonly healingTiers: readonly number[] | null;
  /**
   * Set on a node if its hub sent the create-session request. Contains what the node has to enforce. The hub has
   * already made all other decisions (contract 8.3).
   */
  readonly fromHub?: {
    /** Udid of the only device on which the session may run. */
    readonly udid: string;
    /**
     * Whether the hub checks the credentials of commands. If so, this node must also check them for this session, even
     * if it checks them for no other session.
     */
    readonly guarded: boolean;
    /** Holder of the phone, as `hubHolder` names it, or null for a session without an owner (contract 17.3). */
    readonly holderId?: string | null;
    /** Whether the hub has leased the phone to this holder. */
    readonly isLeased?: boolean;
  };
  /** Id of the create-session request, which is written to the log so that an operator can find the request. */
  readonly requestId?: string | null;
  /** Id and token of the lease that the client named, or null. A wrong token counts as no lease (contract 2). */
  readonly lease: LeaseCredential | null;
  /** Recording options that the client requested. Absent if it requested none (contract 11). */
  readonly recording?: RecordingOptions;
  /** Seconds for which the create-session request waits for a phone; 0 if absent (contract 13). */
  readonly queueSeconds?: number;
  /** Whether an override admin wants the phone left as it is after the session (contract 17.3). */
  readonly keep?: boolean;
}
