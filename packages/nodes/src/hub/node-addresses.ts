import { type Log, Refusal } from '@svc/auth-core';
import { AddressNotAllowed, type Destinations, type Lookups, localDestinations } from '@svc/outbound';
import type { Config } from '@svc/settings';

/** Maximum time (ms) that a registration waits until the host name of the node's address is resolved. */
const CHECK_MS = 2_000;
/**
 * Maximum number of refused addresses that are stored. They are stored so that only the first refusal of an address is
 * logged: a refused node tries to register again every 10 s.
 */
const MOST_LOGGED = 256;

/**
 * Returns the check of the addresses of nodes. The check allows loopback addresses only while `isLocal` returns true.
 * @param isLocal returns whether the hub listens on loopback only
 */
export function nodeDestinations(
  { nodeAllow }: Pick<Config, 'nodeAllow'>,
  lookups: Lookups,
  isLocal: () => boolean,
): Destinations {
  return localDestinations({ allow: nodeAllow, isLocal, lookups, setting: 'SVC_NODE_ALLOW' });
}

/** Facts about the address at which a hub listens. */
export interface ListeningState {
  /** Whether only processes on this host can reach the hub. False if the hub does not listen yet. */
  readonly isLocal: boolean;
}

/**
 * Decides at which addresses nodes are allowed (contract 8.3): the addresses to which webhooks can be sent, and those
 * in `SVC_NODE_ALLOW`. A loopback address is allowed only if the hub itself listens on loopback only, because its nodes
 * are then on the same machine.
 */
export class NodeAddresses {
  /** Resolves and checks the address of a node, again for each connection to the node. */
  readonly destinations: Destinations;
  readonly #log: Log;
  readonly #logged = new Set<string>();

  /**
   * Creates the check. Loopback addresses are refused until the hub listens, because only then is it known whether the
   * hub listens on loopback only.
   */
  constructor(config: Pick<Config, 'nodeAllow'>, lookups: Lookups, listening: ListeningState, log: Log) {
    this.#log = log;
    this.destinations = nodeDestinations(config, lookups, () => listening.isLocal);
  }

  /**
   * Rejects with `invalid_url` if the address of a node is not allowed. A host name that cannot be resolved now is
   * accepted, because every connection to the node resolves and checks it again.
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
