import type { StreamKind } from '@svc/contract';
import type { DeviceSource } from '@svc/device-lab';
import type { NodeRecord } from './node-store.ts';

/** Time (ms) without contact after which a node and its devices count as away (contract 8.1). */
export const AWAY_MS = 30_000;

/** Name and address of a node. */
interface NodeAddress {
  readonly name: string;
  /** Scheme, host and port of the node. */
  readonly url: string;
  readonly basePath: string;
}

/** A line of this hub's log about a node. */
export interface NodeLogLine {
  /** Time (ms since 1970). */
  readonly at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
}

/** A node of this hub, whether it is present or away. */
export class LabNode implements NodeAddress {
  /** Record of the node in the database. */
  record: NodeRecord;
  /**
   * Time of the last contact with the node (ms since 1970), or the start time of this server if there was no contact
   * since then.
   */
  lastContactAt: number;
  isAway = true;
  /**
   * Id that the node created when it last started, as in its last report. Null if the node has not reported since this
   * server started.
   */
  boot: string | null = null;
  sequence = -1;
  /** Time of the node's last report (ms since 1970), or null if it has not reported since this server started. */
  reportedAt: number | null = null;
  /** For each device of the node (by udid), the streams that the device offers. */
  streams: ReadonlyMap<string, ReadonlySet<StreamKind>> = new Map();
  /** Udids of the node's devices that accept input without a session. */
  directInput: ReadonlySet<string> = new Set();
  /** Whether the node has presented another TLS key than its first one. Used to log this error only once. */
  hasOtherKey = false;
  /**
   * Ids of sessions that the hub is ending on the node, because the node reported them although the lab does not know
   * them or has already recorded their end.
   */
  readonly ending = new Set<string>();
  /**
   * Version of svc that the node had when it was last compared with the version of this server, or null before the
   * first comparison.
   */
  comparedVersion: string | null = null;
  /** Last lines that this hub logged about the node, oldest first. */
  readonly logLines: NodeLogLine[] = [];
  /**
   * Why the node's last refused report was refused, or null if none was refused since the node came back. Used to log
   * the same reason only once.
   */
  lastRefusal: string | null = null;
  readonly source: DeviceSource;

  constructor(record: NodeRecord, now: number) {
    this.record = record;
    this.lastContactAt = now;
    // `start` does nothing, because a node reports its devices each time it registers. `endsSessions` is false, so that
    // sessions continue while the node is away (contract 8.1).
    this.source = {
      name: record.name,
      comesAndGoes: true,
      endsSessions: false,
      start: () => undefined,
      stop: () => undefined,
    };
  }

  get name(): string {
    return this.record.name;
  }

  get url(): string {
    return this.record.url;
  }

  get basePath(): string {
    return this.record.basePath;
  }
}
