import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { NotConnected } from '../not-connected.ts';
import type { DestinationRules } from './destination-rules.ts';
import type { Lookups } from './lookups.ts';

/** The addresses that a connection may go to; each was checked. */
export type Destination = readonly LookupAddress[];

/** A host has an address that the rules refuse. */
export class AddressNotAllowed extends NotConnected {
  constructor(message = 'the address is not allowed') {
    super(message);
  }
}

const LOOKUP_MS = 5_000;

interface DestinationsOptions {
  /** Called for each check, for rules that change while the server runs. */
  readonly rules: () => DestinationRules;
  readonly lookups: Lookups;
  /** The setting that allows more addresses, for messages. */
  readonly setting: string;
}

/** Resolves hosts and checks the addresses they resolve to. */
export class Destinations {
  readonly #options: DestinationsOptions;

  constructor(options: DestinationsOptions) {
    this.#options = options;
  }

  /**
   * Resolves to all addresses of a host. Rejects with `AddressNotAllowed` if one of them is not allowed, because only an
   * attacker gives a name both an outer and an inner address. Rejects with the resolver's error if there is none.
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
   * Throws `AddressNotAllowed` for a host that is an address and not allowed. Node looks up names only, so that a
   * connection with `lookup` needs this check too.
   */
  checkLiteral(hostname: string): void {
    const host = bare(hostname);
    const rules = this.#options.rules();
    if (isIP(host) !== 0 && !rules.allowsHost(host) && !rules.allowsAddress(host)) throw this.#notAllowed();
  }

  /** For a direct connection: Node connects to addresses that were checked, and resolves nothing a second time. */
  readonly lookup: LookupFunction = (hostname, options, found) => {
    this.of({ hostname }, AbortSignal.timeout(LOOKUP_MS)).then(
      (destination) => answerLookup(destination, options, found),
      (error: NodeJS.ErrnoException) => found(error, ''),
    );
  };

  /**
   * Resolves to the host that a proxy is requested to connect to: an address that was checked. A name that this machine
   * cannot resolve stays a name, because many machines behind a proxy cannot resolve names of other networks; the
   * proxy's own rules decide then. Rejects with `AddressNotAllowed`.
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

/** Answers a look-up of Node.js with addresses that are known already. */
export function answerLookup(
  destination: Destination,
  options: Parameters<LookupFunction>[1],
  found: Parameters<LookupFunction>[2],
): void {
  const [first] = destination;
  if (options.all) found(null, [...destination]);
  else found(null, first?.address ?? '', first?.family);
}

/** An IPv6 address without its brackets. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
