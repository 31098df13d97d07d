import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** By what `ipaddr.js` calls their ranges: the host itself, its link and groups. */
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
  // Metadata services of AWS and Google over IPv6, Alibaba, Oracle, Azure.
  ...['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
  // Unassigned addresses, and a translation prefix whose IPv4 address may be anywhere inside.
  ...['240.0.0.0/4', '64:ff9b:1::/48'],
];

/** IPv6 ranges with an IPv4 address inside, and the byte it begins at. A gateway would send them on to that one. */
const EMBEDDING: readonly (readonly [string, number])[] = [
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['::/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
];

/**
 * Which addresses a person may make this server connect to: not the server itself, its link or a metadata service,
 * however the address is written, unless `allow` (`SVC_WEBHOOK_ALLOW`, `SVC_NODE_ALLOW`) names it. Private networks
 * are allowed, because labs are in them.
 */
export class DestinationRules {
  readonly #hosts = new Set<string>();
  readonly #allowed: (readonly [Address, number])[];
  readonly #never = ALSO_NEVER.map((range) => rangeOf(range));
  readonly #embedding = EMBEDDING.map(([range, at]) => ({ range: rangeOf(range), at }));

  /** Host names, addresses and CIDR ranges, as the configuration has checked them. */
  constructor(allow: readonly string[]) {
    for (const entry of allow) if (!isRange(entry)) this.#hosts.add(entry);
    this.#allowed = allow.filter(isRange).map(rangeOf);
  }

  /** A name allowed as such may lead anywhere. `hostname`: as the `URL` class writes it. */
  allowsHost(hostname: string): boolean {
    return this.#hosts.has(hostname.replace(/\.$/, ''));
  }

  /** False for what is no address, too. */
  allowsAddress(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    // The address as it is written and every one inside it: each has to be allowed.
    return [address, ...this.#insideOf(address)].every(
      (each) => this.#isListed(each) || this.#isListed(address) || this.#isOrdinary(each),
    );
  }

  #isListed(address: Address): boolean {
    return this.#allowed.some((range) => isWithin(address, range));
  }

  #isOrdinary(address: Address): boolean {
    if (this.#never.some((range) => isWithin(address, range))) return false;
    // What an address in disguise is, says the one inside.
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
