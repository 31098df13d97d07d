import { type Log, Refusal } from '@svc/auth-core';
import { AddressNotAllowed, DestinationRules, Destinations, type Lookups } from '@svc/outbound';
import type { Config } from '@svc/settings';
import type { ListeningServer } from '../runtime/local-address.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'];
/** Maximum time that a registration waits for a name server. */
const CHECK_MS = 2_000;
/**
 * Maximum number of refused addresses that are stored. Each is logged once, although its node tries again every 10 s.
 */
const MOST_LOGGED = 256;

/** @param isLocal whether the hub listens on loopback only */
export function nodeDestinations(
  { nodeAllow }: Pick<Config, 'nodeAllow'>,
  lookups: Lookups,
  isLocal: () => boolean,
): Destinations {
  const usual = new DestinationRules(nodeAllow);
  const besideLoopback = new DestinationRules([...nodeAllow, ...LOOPBACK]);
  return new Destinations({
    rules: () => (isLocal() ? besideLoopback : usual),
    lookups,
    setting: 'SVC_NODE_ALLOW',
  });
}

/**
 * Checks the addresses of nodes (contract 8.3). Allowed are those that webhooks may reach, and those in
 * `SVC_NODE_ALLOW`. The nodes of a hub that listens on loopback only are on the same machine, so loopback is also
 * allowed then.
 */
export class NodeAddresses {
  /** Checks each connection to a node. */
  readonly destinations: Destinations;
  readonly #log: Log;
  readonly #logged = new Set<string>();

  /** Until the hub listens, loopback is not allowed. */
  constructor(
    config: Pick<Config, 'nodeAllow'>,
    lookups: Lookups,
    listening: Pick<ListeningServer, 'isLocal'>,
    log: Log,
  ) {
    this.#log = log;
    this.destinations = nodeDestinations(config, lookups, () => listening.isLocal);
  }

  /** Rejects with `invalid_url`. A name that cannot be resolved now is checked when a connection is made. */
  async check(url: string): Promise<void> {
    try {
      await this.destinations.of(new URL(url), AbortSignal.timeout(CHECK_MS));
    } catch (error) {
      if (!(error instanceof AddressNotAllowed)) return;
      this.#logOnce(url, error);
      throw new Refusal('invalid_url', `node address: ${error.message}`, { message: NOT_ALLOWED });
    }
  }

  #logOnce(url: string, { message }: Error): void {
    if (this.#logged.has(url)) return;
    if (this.#logged.size >= MOST_LOGGED) this.#logged.clear();
    this.#logged.add(url);
    this.#log.warn(`A node at ${url} may not register: ${message}`);
  }
}

const NOT_ALLOWED =
  'url: this hub uses no node at a loopback, link-local or reserved address. If the address is right, name its host or ' +
  'address in SVC_NODE_ALLOW on the hub and start the hub again';
