import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { NotConnected } from '../not-connected.ts';
import { DestinationRules } from './destination-rules.ts';
import type { Lookups } from './lookups.ts';

/** Addresses of one host, all of which the rules allow. */
export type Destination = readonly LookupAddress[];

/** Error for a host with an address that the rules do not allow. */
export class AddressNotAllowed extends NotConnected {
  constructor(message = 'the address is not allowed') {
    super(message);
  }
}

const LOOKUP_MS = 5_000;

interface DestinationsOptions {
  /** Returns the rules that apply now. Called for each check, because the rules can change while the server runs. */
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
   * Resolves to all addresses of a host. Rejects with `AddressNotAllowed` if one of them is not allowed: a name that
   * resolves to both allowed and refused addresses is taken for an attack. Rejects with the resolver's error if the
   * host has no address.
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
   * Throws `AddressNotAllowed` if the host is an IP address that is not allowed. Connections with the `lookup` option
   * need this check too, because Node does not call `lookup` for IP addresses.
   */
  checkLiteral(hostname: string): void {
    const host = bare(hostname);
    const rules = this.#options.rules();
    if (isIP(host) !== 0 && !rules.allowsHost(host) && !rules.allowsAddress(host)) throw this.#notAllowed();
  }

  /**
   * `lookup` option for a direct connection. It gives Node only checked addresses, so that Node does not resolve the
   * name a second time and get other addresses.
   */
  readonly lookup: LookupFunction = (hostname, options, found) => {
    this.of({ hostname }, AbortSignal.timeout(LOOKUP_MS)).then(
      (destination) => answerLookup(destination, options, found),
      (error: NodeJS.ErrnoException) => found(error, ''),
    );
  };

  /**
   * Returns the host to which a proxy should connect. If the rules allow the host name itself, this is the name.
   * Otherwise it is an address of the name, so that the proxy does not resolve the name to other addresses. Rejects
   * with `AddressNotAllowed` if any address of the name is not allowed. If this machine cannot resolve the
   * name, which is common behind a proxy, returns the name unchecked.
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

const LOOPBACK = ['127.0.0.0/8', '::1'];

interface LocalDestinationsOptions extends Omit<DestinationsOptions, 'rules'> {
  /** Host names, addresses and CIDR ranges that are allowed in addition. */
  readonly allow: readonly string[];
  /** Returns whether this server listens on loopback only, so that loopback addresses are allowed, too. */
  readonly isLocal: () => boolean;
}

/** @returns the check of addresses that allows loopback addresses only while this server listens on loopback only */
export function localDestinations({ allow, isLocal, ...options }: LocalDestinationsOptions): Destinations {
  const usual = new DestinationRules(allow);
  const besideLoopback = new DestinationRules([...allow, ...LOOPBACK]);
  return new Destinations({ ...options, rules: () => (isLocal() ? besideLoopback : usual) });
}
