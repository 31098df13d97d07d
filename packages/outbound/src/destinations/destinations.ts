import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { NotConnected } from '../not-connected.ts';
import type { DestinationRules } from './destination-rules.ts';
import type { Lookups } from './lookups.ts';

/** Addresses that a connection may use. The rules allow all of them. */
export type Destination = readonly LookupAddress[];

/** Error for a host with an address that the rules refuse. */
export class AddressNotAllowed extends NotConnected {
  constructor(message = 'the address is not allowed') {
    super(message);
  }
}

const LOOKUP_MS = 5_000;

interface DestinationsOptions {
  /** Returns the rules. Called for each check, because the rules may change while the server runs. */
  readonly rules: () => DestinationRules;
  readonly lookups: Lookups;
  /** Name of the setting that allows more addresses, for error messages. */
  readonly setting: string;
}

/** Resolves hosts and checks the addresses they resolve to. */
export class Destinations {
  readonly #options: DestinationsOptions;

  constructor(options: DestinationsOptions) {
    this.#options = options;
  }

  /**
   * Resolves to all addresses of a host. Rejects with `AddressNotAllowed` if one of them is not allowed, because only
   * an attacker gives a name both allowed and refused addresses. Rejects with the resolver's error if the host has no
   * address.
   */
  async of({ hostname }: Pick<URL, 'hostname'>, signal: AbortSignal): Promise<Destination> {
    const { rules, lookups } = this.#options;
    const host = bare(hostname);
    const family = isIP(host);
    const addresses = family === 0 ? await lookups.addressesOf(host, signal) : [{ address: host, family }];
    if (addresses.length === 0) throw new Error('no address');
    const current = rules();
    if (current.allowsHost(host)) return addresses;
    if (!addresses.every(({ address }) => current.allowsAddress(address))) throw this.#notAllowed();
    return addresses;
  }

  /**
   * Throws `AddressNotAllowed` if the host is an IP address and not allowed. A connection with `lookup` needs this
   * check too, because Node calls `lookup` for names only.
   */
  checkLiteral(hostname: string): void {
    const host = bare(hostname);
    const rules = this.#options.rules();
    if (isIP(host) !== 0 && !rules.allowsHost(host) && !rules.allowsAddress(host)) throw this.#notAllowed();
  }

  /**
   * `lookup` option for a direct connection. It gives Node only addresses that were checked, so that Node does not
   * resolve the name a second time.
   */
  readonly lookup: LookupFunction = (hostname, options, found) => {
    this.of({ hostname }, AbortSignal.timeout(LOOKUP_MS)).then(
      (destination) => answerLookup(destination, options, found),
      (error: NodeJS.ErrnoException) => found(error, ''),
    );
  };

  /**
   * Resolves to the host that a proxy should connect to: an address that was checked, or the host name if the rules
   * allow the name. A name that this machine cannot resolve is also returned unchanged, because many machines behind a
   * proxy cannot resolve external names; only the proxy's own rules apply to it. Rejects with `AddressNotAllowed` if
   * the host has an address that the rules refuse.
   */
  async throughProxy(hostname: string): Promise<string> {
    if (this.#options.rules().allowsHost(bare(hostname))) return hostname;
    try {
      const [first] = await this.of({ hostname }, AbortSignal.timeout(LOOKUP_MS));
      return first?.address ?? hostname;
    } catch (error) {
      if (error instanceof AddressNotAllowed) throw error;
      return hostname;
    }
  }

  #notAllowed(): AddressNotAllowed {
    return new AddressNotAllowed(
      `loopback, link-local and reserved addresses are refused unless ${this.#options.setting} names them`,
    );
  }
}

/** Completes a DNS look-up of Node.js with addresses that are already known. */
export function answerLookup(
  destination: Destination,
  options: Parameters<LookupFunction>[1],
  found: Parameters<LookupFunction>[2],
): void {
  const [first] = destination;
  if (options.all) found(null, [...destination]);
  else found(null, first?.address ?? '', first?.family);
}

/** Removes the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
