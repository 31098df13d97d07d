import type { Caller, LeaseCredential } from '@svc/auth-core';

/** What was decided about a session that may be created. Made only where the credentials are checked. */
export interface Admission {
  /** Null: the session has no owner. */
  readonly caller: Caller | null;
  /** It has none although sign-in is on; the log says so once it exists (specification 5.4.4). */
  readonly lacksCredentials: boolean;
  /** Only devices of this team; null: of any team the caller may see. */
  readonly teamId: string | null;
  readonly maySee: (teamId: string | null) => boolean;
  readonly healingTiers: readonly number[] | null;
  /** Came through the hub of this node, which has decided all the rest (contract 8.3). Absent: it did not. */
  readonly fromHub?: {
    /** The one device it may run on. */
    readonly udid: string;
    /** The hub checks commands, so this node does for this session. */
    readonly guarded: boolean;
  };
  /** Of the request that asked; for the log. */
  readonly requestId?: string | null;
  /** Of the lease it brings along; one that is wrong counts as none (contract 2). */
  readonly lease: LeaseCredential | null;
}
