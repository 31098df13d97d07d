import type { Caller, LeaseCredential, RecordingWish } from '@svc/auth-core';

/** The gate's decision to let a session be created. Only the code that checks credentials makes one. */
export interface Admission {
  /** Owner of the session, or null if it has none. */
  readonly caller: Caller | null;
  /** There is no owner although sign-in is on, which is logged once the session exists (specification 5.4.4). */
  readonly lacksCredentials: boolean;
  /** Only devices of this team may be used. If null, devices of any team that the caller may see. */
  readonly teamId: string | null;
  readonly maySee: (teamId: string | null) => boolean;
  readonly healingTiers: readonly number[] | null;
  /** Set if the create came through the hub of this node, which has made all other decisions (contract 8.3). */
  readonly fromHub?: {
    /** The only device that the session may run on. */
    readonly udid: string;
    /** Whether the hub checks commands, so that this node must check those of this session. */
    readonly guarded: boolean;
  };
  /** Id of the create request, for the log. */
  readonly requestId?: string | null;
  /** Id and token of the lease that the client named. A wrong one counts as none (contract 2). */
  readonly lease: LeaseCredential | null;
  /** What it asks for about its recording; absent: nothing (contract 11). */
  readonly recording?: RecordingWish;
}
