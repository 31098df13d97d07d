import type { StreamKind } from '@svc/contract';
import type { DeviceSource } from '../sources/device-source.ts';
import type { NodeRecord } from './node-store.ts';

/** Unheard of for so long, a node's devices are away (contract 8.1). */
export const AWAY_MS = 30_000;

/** Where a node is reached. */
export interface NodeAddress {
  readonly name: string;
  /** Scheme, host and port. */
  readonly url: string;
  readonly basePath: string;
}

/** A node of this hub, heard of or not. */
export class LabNode implements NodeAddress {
  /** As it is kept. */
  record: NodeRecord;
  /** It counts as heard of when this server starts, whenever that was in fact (ms). */
  heardAt: number;
  isAway = true;
  /** Of its last report; null: none since this server started. */
  boot: string | null = null;
  sequence = -1;
  /** When that report came (ms). */
  reportedAt: number | null = null;
  /** What there is to be looked at of its devices, by udid. */
  streams: ReadonlyMap<string, ReadonlySet<StreamKind>> = new Map();
  /** It has shown another TLS key than it did first, and that was said. */
  hasOtherKey = false;
  /** Sessions it tells of that nobody knows, being ended. */
  readonly ending = new Set<string>();
  /** What was compared with the version of this server last; null: nothing yet. */
  comparedVersion: string | null = null;
  readonly source: DeviceSource;

  constructor(record: NodeRecord, now: number) {
    this.record = record;
    this.heardAt = now;
    // Reports come in with its registrations; what it runs goes on while it is away (contract 8.1).
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
