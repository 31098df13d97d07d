import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS, PROOF_HEADERS } from '@svc/contract';
import { connectionHeaders } from '@svc/outbound';
import type { RemotePlace } from './place.ts';

/** Headers that are not forwarded: proofs, other credentials, and claims about the sender, which this server checks. */
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
 * The headers that go on: those of the client without its connection's, its credentials and its cookies, with what this
 * server adds (contract 8.2). The client's are read anew, as if nothing had been removed from them before.
 */
export function forwardedHeaders(
  client: IncomingHttpHeaders,
  added: Readonly<Record<string, string>>,
): ForwardedHeaders {
  const dropped = connectionHeaders(client.connection);
  const headers: ForwardedHeaders = { ...added };
  for (const name in client) {
    // A name of HTTP/2 is none of HTTP/1.
    if (dropped.has(name) || NOT_FORWARDED.has(name) || name.startsWith(':')) continue;
    if (name.startsWith('x-forwarded-') || name.startsWith('x-svc-')) continue;
    const value = client[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** What a response would do or say in this server's name: its cookies, its other pages, its users. */
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

/** Whether a response's header goes on, besides those of its connection. Name in lower case. */
export function isForClient(name: string): boolean {
  return !OWN_HEADERS.has(name);
}

/** The headers of a response without those of its connection and those that do not go on from `place`. */
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

/** A header that was sent more than once. */
function asText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(',');
}
