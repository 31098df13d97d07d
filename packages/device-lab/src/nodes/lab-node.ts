import type { StreamKind } from '@svc/contract';
import type { DeviceSource } from '../sources/device-source.ts';
import type { NodeRecord } from './node-store.ts';

/** Silence after which the devices of a node count as away (contract 8.1). */
export const AWAY_MS = 30_000;

/** Name and address of a node. */
export interface NodeAddress {
  readonly name: string;
  /** Scheme, host and port of the node. */
  readonly url: string;
  readonly basePath: string;
}

/** A line that this hub logged about a node. */
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
   * Id of the node's last start, from its last report. The node creates a new id at each start. Null if it has not
   * reported since this server started.
   */
  boot: string | null = null;
  sequence = -1;
  /** Time of the node's last report (ms since 1970), or null if it has not reported since this server started. */
  reportedAt: number | null = null;
  /** Streams that the devices of the node offer, by udid. */
  streams: ReadonlyMap<string, ReadonlySet<StreamKind>> = new Map();
  /**
   * Whether the node has presented a TLS key other than its first one. Stored so that this error is logged only once.
   */
  hasOtherKey = false;
  /** Ids of sessions that are being ended, because the node reported them although the lab has no record of them. */
  readonly ending = new Set<string>();
  /**
   * Version of the node that was last compared with the version of this server, or null before the first comparison.
   */
  comparedVersion: string | null = null;
  /** Last lines that this hub logged about the node, oldest first. */
  readonly logLines: NodeLogLine[] = [];
  /** Reason of the last refused report that was logged, or null if no refusal was logged since the node came back. */
  lastRefusal: string | null = null;
  readonly source: DeviceSource;

  constructor(record: NodeRecord, now: number) {
    this.record = record;
    this.lastContactAt = now;
    // `start` does nothing, because the node reports its devices each time it registers. `endsSessions` is false,
    // because sessions continue while the node is away (contract 8.1).
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
