import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Refused ranges, by the names that `ipaddr.js` gives them: for example loopback, link-local and multicast addresses.
 */
const NEVER = new Set([
  'unspecified',
  'loopback',
  'linkLocal',
  'deprecatedSiteLocal',
  'multicast',
  'broadcast',
  'teredo',
]);

const ALSO_NEVER = [
  // Addresses of the metadata services of AWS and Google (IPv6), Alibaba, Oracle and Azure.
  ...['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
  // Reserved IPv4 addresses, and the NAT64 prefix for local use. Its addresses contain an IPv4 address whose position
  // depends on the network, so that it cannot be extracted and checked.
  ...['240.0.0.0/4', '64:ff9b:1::/48'],
];

/**
 * IPv6 ranges whose addresses contain an IPv4 address, each with the index of the IPv4 address's first byte. The IPv4
 * address is checked too, because a gateway would forward packets to it.
 */
const EMBEDDING: readonly (readonly [string, number])[] = [
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['::/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
];

/**
 * Decides to which addresses a user can make this server connect. Refuses loopback, link-local and metadata-service
 * addresses in every spelling, except those in `allow` (`SVC_WEBHOOK_ALLOW`, `SVC_NODE_ALLOW`). Allows private
 * networks, because labs are in them.
 */
export class DestinationRules {
  readonly #hosts = new Set<string>();
  readonly #allowed: (readonly [Address, number])[];
  readonly #never = ALSO_NEVER.map((range) => rangeOf(range));
  readonly #embedding = EMBEDDING.map(([range, at]) => ({ range: rangeOf(range), at }));

  /** Creates the rules. `allow` contains host names, addresses and CIDR ranges that the configuration has checked. */
  constructor(allow: readonly string[]) {
    for (const entry of allow) if (!isRange(entry)) this.#hosts.add(entry);
    this.#allowed = allow.filter(isRange).map(rangeOf);
  }

  /**
   * Returns whether the host name itself is in `allow`, so that all addresses to which it resolves are allowed.
   * `hostname` is in the spelling of the `URL` class.
   */
  allowsHost(hostname: string): boolean {
    return this.#hosts.has(hostname.replace(/\.$/, ''));
  }

  /** Returns whether the address is allowed. Returns false for a text that is not an address. */
  allowsAddress(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    // The address must be allowed, and so must every IPv4 address inside it.
    return [address, ...this.#insideOf(address)].every(
      (each) => this.#isListed(each) || this.#isListed(address) || this.#isOrdinary(each),
    );
  }

  #isListed(address: Address): boolean {
    return this.#allowed.some((range) => isWithin(address, range));
  }

  #isOrdinary(address: Address): boolean {
    if (this.#never.some((range) => isWithin(address, range))) return false;
    // For an IPv6 address that contains an IPv4 address, ignore the range: the caller checks the IPv4 address instead.
    return this.#insideOf(address).length > 0 || !NEVER.has(address.range());
  }

  #insideOf(address: Address): Address[] {
    if (address.kind() === 'ipv4') return [];
    return this.#embedding
      .filter(({ range }) => isWithin(address, range))
      .map(({ at }) => ipaddr.fromByteArray(address.toByteArray().slice(at, at + 4)));
  }
}

function isRange(entry: string): boolean {
  return ipaddr.isValid(entry.split('/')[0] as string);
}

function rangeOf(entry: string): readonly [Address, number] {
  const [address = '', bits] = entry.split('/');
  const parsed = ipaddr.parse(address);
  return [parsed, bits === undefined ? parsed.toByteArray().length * 8 : Number(bits)];
}

function isWithin(address: Address, [start, bits]: readonly [Address, number]): boolean {
  return address.kind() === start.kind() && address.match(start as never, bits);
}
