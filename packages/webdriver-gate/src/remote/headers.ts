import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS, PROOF_HEADERS } from '@svc/contract';
import { connectionHeaders } from '@svc/outbound';
import type { RemotePlace } from './place.ts';

/**
 * Request headers that are not forwarded: credentials, and headers that claim something about the sender, on which the
 * other server must not rely.
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
 * @returns the headers to send: those in `added`, and the client's headers without its credentials, its cookies and the
 * headers that concern only its connection (contract 8.2)
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
 * Response headers that are not forwarded, because the client would apply them to this server: to its cookies, its
 * other pages or its users.
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
 * Returns whether a response header can be forwarded to the client. Headers that concern only the connection are not
 * checked here.
 * @param name name in lower case
 */
export function isForClient(name: string): boolean {
  return !OWN_HEADERS.has(name);
}

/**
 * @returns the headers of a response without those that concern only its connection and those that `place` does not
 * forward
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
