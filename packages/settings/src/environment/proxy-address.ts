import { Unusable } from './rules.ts';

const USUAL_PORTS = { 'http:': 80, 'https:': 443 } as const;

/**
 * Parses `http(s)://[user:password@]host[:port]`, in which user and password are percent-encoded. The results `url` and
 * `authorization` contain them, so both are secret.
 */
export function proxyAddress(text: string) {
  const value = text.trim();
  const url = URL.canParse(value) ? new URL(value) : null;
  const isBare = url !== null && url.pathname === '/' && !/[?#]/.test(value);
  if (!isBare || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Unusable('is not http(s)://[user:password@]host[:port]');
  const { protocol, hostname, port, username, password } = url;
  const pair = [username, password].map(decoded).join(':');
  return {
    url: url.href,
    isSecure: protocol === 'https:',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? USUAL_PORTS[protocol] : Number(port),
    authorization: pair === ':' ? null : `Basic ${Buffer.from(pair).toString('base64')}`,
  };
}

/** Parses a proxy address from a plugin option. Refuses a user or password, which Appium would print at its start. */
export function openProxyAddress(text: string) {
  const address = proxyAddress(text);
  if (address.authorization !== null)
    throw new Unusable('has a user or password, which belong into SVC_PROXY or the file of SVC_PROXY_FILE');
  return address;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Unusable('has a user or password that is not percent-encoded');
  }
}
