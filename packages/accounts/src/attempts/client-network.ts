import { isIPv6 } from 'node:net';
import { type RequestOrigin, senderOf } from '@svc/auth-core';
import ipaddr from 'ipaddr.js';

const CUSTOMER_BITS = 64;

/**
 * Returns the network of a client address. Limits on attempts count all addresses of one network together.
 * @returns the /64 network of an IPv6 address, because one customer usually has all of it; the IPv4 address inside an
 * IPv4-mapped address; otherwise the given text in lower case
 */
export function networkOfAddress(address: string): string {
  if (!isIPv6(address)) return address.toLowerCase();
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = parsed.toByteArray().fill(0, CUSTOMER_BITS / 8);
  return ipaddr.fromByteArray(network).toString();
}

/** @returns the network of the client's address, by which attempts are counted (specification 5.9.3) */
export function networkOf({ from }: { readonly from: RequestOrigin }): string {
  return networkOfAddress(from.address ?? '');
}

/**
 * @returns the network of the sender of the connection, which a client cannot invent. Count by it what must not close a
 * route to others.
 */
export function senderNetworkOf({ from }: { readonly from: RequestOrigin }): string {
  return networkOfAddress(senderOf(from) ?? '');
}
