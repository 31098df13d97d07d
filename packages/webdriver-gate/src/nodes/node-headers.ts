import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS } from '@svc/contract';
import { connectionHeaders } from '@svc/http-forward';

/** Credentials and claims about the sender that are the hub's to judge, and none of a node's business. */
const ENDS_AT_HUB: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'cookie2',
  'forwarded',
  'host',
  'origin',
  'referer',
  HEADERS.accessKey,
  HEADERS.token,
  HEADERS.hubToken,
]);

/**
 * The headers a node gets: those of the client without its connection's, its credentials and its cookies, with the
 * hub's token (contract 8.2). The client's are read anew, as if nothing had been removed from them before.
 */
export function nodeHeaders(
  client: IncomingHttpHeaders,
  hubToken: string,
): Record<string, string | string[]> {
  const dropped = connectionHeaders(client.connection);
  const headers: Record<string, string | string[]> = { [HEADERS.hubToken]: hubToken };
  for (const name in client) {
    // A name of HTTP/2 is none of HTTP/1.
    if (dropped.has(name) || ENDS_AT_HUB.has(name) || name.startsWith(':')) continue;
    if (name.startsWith('x-forwarded-') || name.startsWith('x-svc-')) continue;
    const value = client[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** The headers of a node's response without those of its connection. */
export function clientHeaders(node: IncomingHttpHeaders): Record<string, string | string[]> {
  const dropped = connectionHeaders(node.connection);
  const headers: Record<string, string | string[]> = {};
  for (const name in node) {
    const value = node[name];
    if (value !== undefined && !dropped.has(name)) headers[name] = value;
  }
  return headers;
}
