import type { Answer } from '../../api/client.ts';

export type Device = Answer<'listDevices'>[number];
export type Lease = Answer<'listLeases'>[number];

export interface SeenDevices {
  readonly devices: readonly Device[];
  /** Leases that the caller may change. */
  readonly leases: readonly Lease[];
}
