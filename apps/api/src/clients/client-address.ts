import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** The client address of a request, and whether the client used HTTPS. */
export interface ClientFacts {
  addressOf(request: IncomingMessage): string;
  /** Address of the socket, regardless of headers. */
  peerOf(request: IncomingMessage): string;
  /** Address by which attempts are counted. A client cannot forge it (`RequestOrigin.sender`). */
  senderOf(request: IncomingMessage): string;
  isHttps(request: IncomingMessage): boolean;
  /** Whether a socket's address is that of a trusted proxy. */
  isTrustedProxy(address: string): boolean;
}

/**
 * Without trusted proxies the first value of `X-Forwarded-For` counts, if present (specification 5.9.3), and the first
 * value of `X-Forwarded-Proto` from any client. With trusted proxies the right-most address that is not a proxy's
 * counts, and `X-Forwarded-Proto` only from them (contract 5). Of that header the last value counts, because proxies
 * append theirs to what the client sent.
 */
export function clientFacts(trustedProxies: readonly string[]): ClientFacts {
  if (trustedProxies.length === 0) {
    return {
      addressOf: (request) => plain(forwardedFor(request)[0] ?? peerOf(request)),
      peerOf,
      senderOf: peerOf,
      isHttps: (request) => isEncrypted(request) || forwardedProto(request).at(0) === 'https',
      isTrustedProxy: () => false,
    };
  }
  const trusted = blockList(trustedProxies);
  const isTrusted = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
  const addressOf = (request: IncomingMessage): string => {
    const hops = [...forwardedFor(request).map(plain), peerOf(request)];
    return hops.findLast((hop) => !isTrusted(hop)) ?? (hops[0] as string);
  };
  return {
    addressOf,
    peerOf,
    senderOf: addressOf,
    isTrustedProxy: (address) => isTrusted(plain(address)),
    isHttps: (request) =>
      isEncrypted(request) || (isTrusted(peerOf(request)) && forwardedProto(request).at(-1) === 'https'),
  };
}

/** Throws for an entry that is not an address or CIDR range, because a typing mistake would go unnoticed. */
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

const NO_VALUES: readonly string[] = [];

function forwardedFor(request: IncomingMessage): readonly string[] {
  return valuesOf(request.headers['x-forwarded-for']).filter((part) => part !== '');
}

function forwardedProto(request: IncomingMessage): readonly string[] {
  return valuesOf(request.headers['x-forwarded-proto']).map((part) => part.toLowerCase());
}

/** The values of a list header, from the client's value to that of the nearest proxy. */
function valuesOf(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return NO_VALUES;
  const text = Array.isArray(header) ? header.join(',') : header;
  return text.split(',').map((part) => part.trim());
}

function peerOf(request: IncomingMessage): string {
  return plain(request.socket.remoteAddress ?? 'unknown');
}

const LONGEST = 64;

/** Reduces `::ffff:192.0.2.1`, `[2001:db8::1]:443` and `192.0.2.1:1234` to the plain address, and cuts longer text. */
function plain(address: string): string {
  // The usual case: an IPv4 address without a port.
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
