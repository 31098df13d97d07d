import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Determines the client address of a request, and whether the client used HTTPS. */
export interface ClientFacts {
  addressOf(request: IncomingMessage): string;
  /** Returns the address of the socket's peer, regardless of headers. */
  peerOf(request: IncomingMessage): string;
  /**
   * Returns the address by which limits count an unauthenticated client (`RequestOrigin.sender`). A client cannot forge
   * it.
   */
  senderOf(request: IncomingMessage): string;
  isHttps(request: IncomingMessage): boolean;
  /** Returns whether a socket's address belongs to a trusted proxy. */
  isTrustedProxy(address: string): boolean;
}

/**
 * Returns functions that determine the client address of a request, and whether the client used HTTPS. An encrypted
 * connection is always HTTPS.
 *
 * Without trusted proxies, the client address is the first address in `X-Forwarded-For` (specification 5.9.3), or the
 * address of the socket's peer if the header is missing. The first value of `X-Forwarded-Proto` tells the scheme.
 *
 * With trusted proxies, the peer is appended to the addresses in `X-Forwarded-For`, and the client address is the last
 * one that does not belong to a trusted proxy (contract 5). The last value of `X-Forwarded-Proto` tells the scheme,
 * because each proxy appends its own value. Both headers are ignored if the peer is not a trusted proxy.
 */
export function clientFacts(trustedProxies: readonly string[]): ClientFacts {
  if (trustedProxies.length === 0) {
    return {
      addressOf: (request) => plain(valuesOf(request, FOR).find(isGiven) ?? peerOf(request)),
      peerOf,
      senderOf: peerOf,
      isHttps: (request) => isEncrypted(request) || valuesOf(request, PROTO).at(0)?.toLowerCase() === 'https',
      isTrustedProxy: () => false,
    };
  }
  const trusted = blockList(trustedProxies);
  const isTrusted = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
  const addressOf = (request: IncomingMessage): string => {
    const hops = [...valuesOf(request, FOR).filter(isGiven).map(plain), peerOf(request)];
    return hops.findLast((hop) => !isTrusted(hop)) ?? (hops[0] as string);
  };
  return {
    addressOf,
    peerOf,
    senderOf: addressOf,
    isTrustedProxy: (address) => isTrusted(plain(address)),
    isHttps: (request) =>
      isEncrypted(request) ||
      (isTrusted(peerOf(request)) && valuesOf(request, PROTO).at(-1)?.toLowerCase() === 'https'),
  };
}

/**
 * Returns the list of addresses and CIDR ranges. Throws if an entry is neither, because a typing mistake would
 * otherwise go unnoticed.
 */
function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const FOR = 'x-forwarded-for';
const PROTO = 'x-forwarded-proto';
const NO_VALUES: readonly string[] = [];

/**
 * Returns the values of a header that contains a list. Each proxy appends its value, so the nearest proxy's value is
 * last.
 */
function valuesOf({ headers }: IncomingMessage, name: string): readonly string[] {
  const given = headers[name];
  if (given === undefined) return NO_VALUES;
  const text = Array.isArray(given) ? given.join(',') : given;
  return text.split(',').map((part) => part.trim());
}

function isGiven(value: string): boolean {
  return value !== '';
}

function peerOf(request: IncomingMessage): string {
  return plain(request.socket.remoteAddress ?? 'unknown');
}

const LONGEST = 64;

/**
 * Returns the IP address without port, brackets and IPv4-mapped prefix, such as `192.0.2.1` for `192.0.2.1:1234`. The
 * text may come from a header that a client has written, so it is cut after 64 characters.
 */
function plain(address: string): string {
  // Fast path for the usual case, an IPv4 address without a port.
  if (!address.includes(':') && address.length <= LONGEST) return address;
  const bare = address
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  return bare.slice(0, LONGEST);
}

function isEncrypted(request: IncomingMessage): boolean {
  return 'encrypted' in request.socket && request.socket.encrypted === true;
}
