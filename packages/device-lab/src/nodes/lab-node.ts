import type { StreamKind } from '@svc/contract';
import type { DeviceSource } from '../sources/device-source.ts';
import type { NodeRecord } from './node-store.ts';

/** The devices of a node are away if it has not reported for this long (contract 8.1). */
export const AWAY_MS = 30_000;

/** Address of a node. */
export interface NodeAddress {
  readonly name: string;
  /** Scheme, host and port. */
  readonly url: string;
  readonly basePath: string;
}

/** A node of this hub, present or away. */
export class LabNode implements NodeAddress {
  /** The stored record. */
  record: NodeRecord;
  /** Time of the last contact (ms since 1970), or of the start of this server if there was none since. */
  lastContactAt: number;
  isAway = true;
  /** Id of the node's start, from its last report, or null if it has not reported since this server started. */
  boot: string | null = null;
  sequence = -1;
  /** Time of that report (ms since 1970). */
  reportedAt: number | null = null;
  /** Streams that its devices offer, by udid. */
  streams: ReadonlyMap<string, ReadonlySet<StreamKind>> = new Map();
  /** Whether it has presented another TLS key than at first, and an error was logged. */
  hasOtherKey = false;
  /** Reported sessions that are unknown to the lab and are being ended. */
  readonly ending = new Set<string>();
  /** Version that was compared with that of this server last, or null. */
  comparedVersion: string | null = null;
  readonly source: DeviceSource;

  constructor(record: NodeRecord, now: number) {
    this.record = record;
    this.lastContactAt = now;
    // Devices are reported with each registration. Sessions go on while the node is away (contract 8.1).
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
