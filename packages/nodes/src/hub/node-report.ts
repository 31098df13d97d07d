import type { StreamKind } from '@svc/contract';
import type { DeviceFacts, OutAtNode, ReadHealth, SessionClean, SessionEnd } from '@svc/device-lab';
import type { UncleanedAtNode } from './node-care.ts';

/** A device as its node reports it. An older node reports no facts. */
export interface OfferedDevice extends Partial<DeviceFacts> {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Tags that the source of the device gives it on the node. */
  readonly tags?: readonly string[];
  /** Streams that the device offers now. */
  readonly streams: readonly StreamKind[];
  /** Whether the device accepts input without a session. Absent in reports of older nodes. */
  readonly directInput?: boolean;
  /** Why the node has put the device out of service. Null or absent if it is in service, or the node is older. */
  readonly outOfService?: OutAtNode | null | undefined;
  /** What the last probe of the device read. Null or absent if it was not probed, or the node is older. */
  readonly health?: ReadHealth | null | undefined;
  /** What the last holder of the device left on it. Null or absent if it is clean, or the node is older. */
  readonly uncleaned?: UncleanedAtNode | null | undefined;
}

/** Part of a node's report about the sessions that the node runs for its hub. */
export interface NodeSessions {
  /** Id that the node creates at each of its starts. `sequence` is compared only between reports with the same id. */
  readonly boot: string;
  /**
   * Number of the report, which increases with each report. The hub ignores a report whose number is not larger than
   * the last one that it received, because such a report arrived late.
   */
  readonly sequence: number;
  readonly running: readonly { readonly id: string; readonly udid: string | null }[];
  /**
   * Sessions that ended in the last 15 minutes. Each is contained in many reports, so that the hub learns of the end
   * even if a report is lost.
   */
  readonly ended: readonly (SessionEnd & { readonly id: string })[];
  /** How the phones were cleaned after sessions. Absent in reports of older nodes. */
  readonly cleaned?: readonly ReportedClean[] | undefined;
}

/** Cleaning of a node's phone after a session of the hub (contract 17.3). */
export interface ReportedClean extends SessionClean {
  readonly id: string;
}

/** Report that a node sends to register and to renew its registration (contract 8.1). */
export interface NodeReport {
  /** Scheme, host and port of the node. */
  readonly url: string;
  readonly version: string;
  readonly basePath: string;
  /** Scheme, host and port at which the node reaches this hub, or null if the node reports none. */
  readonly hubUrl: string | null;
  readonly devices: readonly OfferedDevice[];
  /** Sessions that run on the node, or null if the node reports none. */
  readonly sessions: NodeSessions | null;
}

/** @returns the name of a node, which is the host and port of its address */
export function nameOf(url: string): string {
  return new URL(url).host;
}
