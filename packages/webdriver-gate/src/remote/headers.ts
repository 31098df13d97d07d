import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS, PROOF_HEADERS } from '@svc/contract';
import { connectionHeaders } from '@svc/outbound';
import type { RemotePlace } from './place.ts';

/**
 * Request headers that are not forwarded: credentials of this service, other credentials, and headers that claim
 * something about the sender. The other server must not rely on such claims.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...PROOF_HEADERS,
  'proxy-authorization',
  'cookie2',
  'forwarded',
  'host',
  'origin',
  'referer',
]);

export type ForwardedHeaders = Record<string, string | string[]>;

/**
 * @returns the headers in `added`, and the client's headers without its credentials, its cookies and the headers of its
 * connection (contract 8.2). Credentials are removed here even if the gate has already removed them.
 */
export function forwardedHeaders(
  client: IncomingHttpHeaders,
  added: Readonly<Record<string, string>>,
): ForwardedHeaders {
  const dropped = connectionHeaders(client.connection);
  const headers: ForwardedHeaders = { ...added };
  for (const name in client) {
    // Pseudo-headers of HTTP/2 are not valid in HTTP/1.
    if (dropped.has(name) || NOT_FORWARDED.has(name) || name.startsWith(':')) continue;
    if (name.startsWith('x-forwarded-') || name.startsWith('x-svc-')) continue;
    const value = client[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/**
 * Response headers that are not forwarded. The client would apply them to this server: to its cookies, its other pages
 * or its users.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'refresh',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
  HEADERS.user,
  HEADERS.role,
]);

/**
 * Returns whether a response header can be forwarded to the client. `name` is in lower case. Headers that apply to the
 * connection only are not checked here.
 */
export function isForClient(name: string): boolean {
  return !OWN_HEADERS.has(name);
}

/**
 * @returns the headers of a response, without the headers of its connection and those that `place` does not let through
 */
export function clientHeaders(
  response: IncomingHttpHeaders,
  place: Pick<RemotePlace, 'passes'>,
): ForwardedHeaders {
  const dropped = connectionHeaders(asText(response.connection));
  const headers: ForwardedHeaders = {};
  for (const name in response) {
    const value = response[name];
    if (value !== undefined && place.passes(name) && !dropped.has(name)) headers[name] = value;
  }
  return headers;
}

/** Joins the values of a header that was sent more than once. */
function asText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(',');
}
