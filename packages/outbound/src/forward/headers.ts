import type { IncomingMessage } from 'node:http';

/**
 * Headers that are never forwarded: those that apply to one connection only (RFC 9110, 7.6.1), and `Expect`, because
 * Node has already handled it.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns the names, in lower case, of the headers that apply to one connection only: the standard ones and those that
 * the `Connection` header lists.
 */
export function connectionHeaders(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || /^(?:keep-alive|close|upgrade)?$/i.test(connection)) return HOP_BY_HOP;
  return new Set([...HOP_BY_HOP, ...connection.split(',').map((name) => name.trim().toLowerCase())]);
}

/**
 * Returns the headers of a message except those that apply to its connection only, as name and value pairs in their
 * original order and spelling.
 */
export function endToEnd({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): [string, string][] {
  const dropped = connectionHeaders(headers.connection);
  return pairs(rawHeaders).filter(([name]) => !dropped.has(name.toLowerCase()));
}

export function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] as string] as [string, string]] : [],
  );
}
