import type { IncomingMessage } from 'node:http';

/** Decision whether the proxy forwards a request with the credential or refuses it. */
export type Admission =
  | { readonly kind: 'pass'; readonly path: string }
  | { readonly kind: 'refuse'; readonly status: 400 | 403; readonly why: string };

const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?$/i;
const ABSOLUTE = /^(?:https?|wss?):\/\/([^/?#]*)(.*)$/i;
/**
 * Characters that a valid request target does not contain. Targets with such characters are refused. The service could
 * read their path differently from the proxy, and so serve a path that the proxy would have refused.
 */
const ODD = /[^\x21-\x7e]|[\\#]/;

/**
 * Decides whether the proxy forwards a request with the tester's credential. Every program on this machine can reach
 * the proxy's port, including web pages in a browser. A page of another origin must not control phones with this
 * credential, whether it sends requests directly (detected by Origin and Sec-Fetch-Site) or under a host name of its
 * own that resolves to this machine (detected by Host).
 */
export function admit(request: IncomingMessage, allowedOrigins: readonly string[]): Admission {
  const host = onlyHost(request);
  if (host === undefined || !LOOPBACK.test(host)) return refuse(403, 'the Host header names another machine');
  if (!isOwnOrigin(request, host, allowedOrigins))
    return refuse(403, 'the request comes from a page of another origin');
  const path = pathOf(request.url ?? '');
  if (path === undefined) return refuse(400, 'the target is not a path of this proxy');
  const segments = segmentsOf(path);
  if (segments === undefined) return refuse(400, 'the target is not a plain path');
  // The API under /svc is not forwarded. The proxy adds its credential to each request, so any user of this machine
  // could create further credentials through it.
  if (segments[0]?.toLowerCase() === 'svc')
    return refuse(403, 'the proxy forwards only WebDriver traffic, not /svc');
  return { kind: 'pass', path };
}

function onlyHost({ rawHeaders }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'host' && index % 2);
  return hosts.length === 1 ? hosts[0] : undefined;
}

function isOwnOrigin({ headers }: IncomingMessage, host: string, allowed: readonly string[]): boolean {
  const { origin } = headers;
  if (origin !== undefined && allowed.includes(origin)) return true;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

function pathOf(target: string): string | undefined {
  if (ODD.test(target)) return undefined;
  if (target.startsWith('/')) return target;
  const [, authority, rest = ''] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined || !LOOPBACK.test(authority)) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** @returns the decoded segments of the path, or undefined if it cannot be decoded or contains `.` or `..` segments */
function segmentsOf(path: string): string[] | undefined {
  try {
    const decoded = decodeURIComponent(path.split('?', 1)[0] as string);
    const segments = decoded.split(/[/\\]/).filter((segment) => segment !== '');
    return segments.some((segment) => segment === '.' || segment === '..') ? undefined : segments;
  } catch {
    return undefined;
  }
}

function refuse(status: 400 | 403, why: string): Admission {
  return { kind: 'refuse', status, why };
}
