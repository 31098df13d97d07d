import type { ReadHealth } from './health-probes.ts';

/** A phone that its node has put out of service. The hub does not know the accounts of the node. */
export interface OutAtNode {
  readonly reason: string;
  /** Whether the node's lab put the phone out, and not an Admin of the node. */
  readonly isByLab: boolean;
  readonly since: number;
  readonly until: number | null;
}

/** What nodes reported about the state of their phones. */
export interface CareAtNodes {
  /** @returns why the node of a phone has put it out of service, or null */
  on(udid: string): OutAtNode | null;
  /** @returns the health of a node's phone, or null if it is unknown */
  healthOf(udid: string): ReadHealth | null;
}
