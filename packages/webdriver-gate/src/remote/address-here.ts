import type { IncomingMessage } from 'node:http';

/** Scheme, host and port at which a client reaches this server's sockets. */
export function socketAddress(req: IncomingMessage, isHttps: (req: IncomingMessage) => boolean): string {
  return `${isHttps(req) ? 'wss' : 'ws'}://${req.headers.host ?? ''}`;
}
