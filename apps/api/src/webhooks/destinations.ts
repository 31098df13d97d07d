import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { DestinationNotAllowed } from '@svc/device-lab';
import type { DestinationRules } from './destination-rules.ts';
import type { Lookups } from './lookups.ts';

/** Where a request may go: exactly these addresses, which were checked. */
export type Destination = readonly LookupAddress[];

/** Resolves a host and checks what it resolves to. */
export class Destinations {
  readonly #rules: DestinationRules;
  readonly #lookups: Lookups;

  constructor(rules: DestinationRules, lookups: Lookups) {
    this.#rules = rules;
    this.#lookups = lookups;
  }

  /**
   * Rejects with `DestinationNotAllowed` when any of its addresses is not allowed: a name that has an outer and an
   * inner one is an attempt. Rejects with the resolver's error when there is none.
   */
  async of({ hostname }: URL, signal: AbortSignal): Promise<Destination> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    const addresses =
      family === 0 ? await this.#lookups.addressesOf(host, signal) : [{ address: host, family }];
    if (addresses.length === 0) throw new Error('no address');
    if (this.#rules.allowsHost(host)) return addresses;
    if (!addresses.every(({ address }) => this.#rules.allowsAddress(address)))
      throw new DestinationNotAllowed();
    return addresses;
  }
}
