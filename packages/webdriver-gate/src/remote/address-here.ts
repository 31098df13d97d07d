import type { IncomingMessage } from 'node:http';

/** @returns scheme, host and port under which the client reaches the sockets of this server */
export function socketAddress(req: IncomingMessage, isHttps: (req: IncomingMessage) => boolean): string {
  return `${isHttps(req) ? 'wss' : 'ws'}://${req.headers.host ?? ''}`;
}
