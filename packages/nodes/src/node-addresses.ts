import { type Log, Refusal } from '@svc/auth-core';
import { AddressNotAllowed, DestinationRules, Destinations, type Lookups } from '@svc/outbound';
import type { Config } from '@svc/settings';

const LOOPBACK = ['127.0.0.0/8', '::1'];
/** Maximum time that a registration waits for the name server (ms). */
const CHECK_MS = 2_000;
/**
 * Maximum number of refused addresses that are stored, so that each is logged only once although its node registers
 * again every 10 s.
 */
const MOST_LOGGED = 256;

/**
 * Returns the check of the addresses of nodes.
 * @param isLocal whether the hub listens on loopback only
 */
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

/** Facts about the address at which a hub listens. */
export interface ListeningState {
  /** Whether only processes on this host can reach the hub. False if the hub does not listen yet. */
  readonly isLocal: boolean;
}

/**
 * Checks the addresses of nodes (contract 8.3). A node may have the addresses that webhooks may reach, and those in
 * `SVC_NODE_ALLOW`. A loopback address is allowed only if the hub itself listens on loopback only, because its nodes
 * are then on the same machine.
 */
export class NodeAddresses {
  /** Check that applies to each connection to a node. */
  readonly destinations: Destinations;
  readonly #log: Log;
  readonly #logged = new Set<string>();

  /**
   * Creates the check. Loopback addresses are not allowed before the hub listens, because it is not known yet whether
   * it listens on loopback only.
   */
  constructor(config: Pick<Config, 'nodeAllow'>, lookups: Lookups, listening: ListeningState, log: Log) {
    this.#log = log;
    this.destinations = nodeDestinations(config, lookups, () => listening.isLocal);
  }

  /**
   * Rejects with `invalid_url` if the address of a node is not allowed. A name that cannot be resolved now is accepted,
   * because each connection checks it again.
   */
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
