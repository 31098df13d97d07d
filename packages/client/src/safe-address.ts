/**
 * @returns whether no one can read what is sent to the address on its way: it uses TLS or is on this machine. The
 * published package has no copy of the contract's code, so this rule is here a second time.
 */
export function isSafeAddress(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
