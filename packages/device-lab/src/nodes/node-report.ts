import type { StreamKind } from '@svc/contract';
import type { SessionEnd } from '../driver-sessions.ts';

/** A device as its node reports it. */
export interface OfferedDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Streams that the device offers now. */
  readonly streams: readonly StreamKind[];
}

/** What a node reports about the sessions that it runs for its hub. */
export interface NodeSessions {
  /** Differs after each start of the node. */
  readonly boot: string;
  /** Counts the reports, so that an older report that arrives late is ignored. */
  readonly sequence: number;
  readonly running: readonly { readonly id: string; readonly udid: string | null }[];
  /** Sessions that ended in the last minutes. Repeated in each report. */
  readonly ended: readonly (SessionEnd & { readonly id: string })[];
}

/** What a node sends to register and to renew its registration (contract 8.1). */
export interface NodeReport {
  /** Scheme, host and port. */
  readonly url: string;
  readonly version: string;
  readonly basePath: string;
  /** Scheme, host and port at which it reaches this hub, or null if it reports none. */
  readonly hubUrl: string | null;
  readonly devices: readonly OfferedDevice[];
  /** Null if the node reports none. */
  readonly sessions: NodeSessions | null;
}
