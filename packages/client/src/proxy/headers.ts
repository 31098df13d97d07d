import type { IncomingMessage } from 'node:http';
import type { HeaderValues } from '../command-headers.ts';
import { CREDENTIAL_HEADERS } from '../credentials.ts';

/** Of one connection, never passed on (RFC 9110, 7.6.1), and `Expect`, which Node has answered already. */
const HOP_BY_HOP = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * A message's headers without those of its connection and without any credential, as name and value pairs in
 * their order and spelling.
 */
export function endToEnd({ rawHeaders, headers }: IncomingMessage): [string, string][] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set<string>([...HOP_BY_HOP, ...named]);
  return pairs(rawHeaders).filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** What the service gets: the client's headers with our credential in place of whatever it brought along. */
export function upstreamHeaders(
  request: IncomingMessage,
  host: string,
  credential: HeaderValues,
): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  const dropped = new Set<string>([...CREDENTIAL_HEADERS, 'host']);
  for (const [name, value] of endToEnd(request)) {
    const key = name.toLowerCase();
    if (dropped.has(key)) continue;
    const before = all[key];
    all[key] = before === undefined ? value : [before, value].flat();
  }
  return { ...all, host, ...credential };
}

export function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] as string] as [string, string]] : [],
  );
}
