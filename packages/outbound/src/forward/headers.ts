import type { IncomingMessage } from 'node:http';

/** Of one connection, never passed on (RFC 9110, 7.6.1), and `Expect`, which Node has answered already. */
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

/** Names, in lower case, of the headers that end with their connection: the usual ones and those `Connection` names. */
export function connectionHeaders(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || /^(?:keep-alive|close|upgrade)?$/i.test(connection)) return HOP_BY_HOP;
  return new Set([...HOP_BY_HOP, ...connection.split(',').map((name) => name.trim().toLowerCase())]);
}

/** A message's headers without those of its connection, as name and value pairs in their order and spelling. */
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
