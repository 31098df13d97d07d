import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS, PROOF_HEADERS } from '@svc/contract';
import { connectionHeaders } from '@svc/outbound';
import type { RemotePlace } from './place.ts';

/**
 * Request headers that are not forwarded: credentials for this service, other credentials, and headers with claims
 * about the sender. This server finds out the sender itself.
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
 * @returns the client's headers without those of its connection, its credentials and its cookies, and with the headers
 * in `added` (contract 8.2). Removes credentials even if the gate has already removed them.
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
 * Response headers that are not forwarded, because the client would apply them to the cookies, other pages or users of
 * this server.
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
 * Returns whether a response header may be forwarded to the client. Does not check for headers of the connection.
 * `name` is in lower case.
 */
export function isForClient(name: string): boolean {
  return !OWN_HEADERS.has(name);
}

/** @returns the headers of a response without those of its connection and those that `place` does not pass on */
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
