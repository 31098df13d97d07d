import type { StreamKind } from '@svc/contract';
import type { SessionEnd } from '../driver-sessions.ts';

/** A device as its node offers it. */
export interface OfferedDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** What there is to be looked at of it now. */
  readonly streams: readonly StreamKind[];
}

/** What a node tells of the sessions it runs for its hub. */
export interface NodeSessions {
  /** Another one after each start of the node. */
  readonly boot: string;
  /** Counts its reports; an older one that comes late is not listened to. */
  readonly sequence: number;
  readonly running: readonly { readonly id: string; readonly udid: string | null }[];
  /** Of the last minutes, told again with each report. */
  readonly ended: readonly (SessionEnd & { readonly id: string })[];
}

/** How a node registers and renews (contract 8.1). */
export interface NodeReport {
  /** Scheme, host and port. */
  readonly url: string;
  readonly version: string;
  readonly basePath: string;
  /** Scheme, host and port it reaches this hub at; null: it does not say. */
  readonly hubUrl: string | null;
  readonly devices: readonly OfferedDevice[];
  /** Null: it does not say. */
  readonly sessions: NodeSessions | null;
}
