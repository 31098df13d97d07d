import type { IncomingMessage } from 'node:http';
import { endToEnd } from '@svc/outbound/forward';
import type { HeaderValues } from '../command-headers.ts';
import { CREDENTIAL_HEADERS } from '../credentials.ts';

/** Returns the client's headers with every credential that the client sent replaced by the proxy's credential. */
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
