const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|::ffff:127(?:\.\d{1,3}){3})$/i;

/**
 * @returns whether a host is this machine, so that no other machine can read what is sent to it
 * @param host host of a URL, or address of a socket, without a port
 */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** @returns whether no one can read what is sent to the address on its way: it uses TLS or is on this machine */
export function isSafeAddress(url: { readonly protocol: string; readonly hostname: string }): boolean {
  const { protocol, hostname } = url;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
