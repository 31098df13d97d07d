import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { endToEnd, headOf, joinSockets, pairs } from '@svc/outbound/forward';
import { upstreamHeaders } from './headers.ts';
import { ask, reason, type Upstream, webdriverError } from './upstream.ts';

/** Forwards a WebSocket: sends the upgrade with the credential, then copies bytes both ways until either end closes. */
export async function tunnel(
  upstream: Upstream,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  path: string,
): Promise<void> {
  let credential: Record<string, string>;
  try {
    credential = await upstream.socketHeaders.ready();
  } catch (error) {
    return refuseUpgrade(socket, 503, `no bearer token could be issued (${reason(error)})`);
  }
  if (socket.destroyed) return;
  const headers = {
    ...upstreamHeaders(request, upstream.origin.host, credential),
    connection: 'Upgrade',
    upgrade: 'websocket',
  };
  const asking = ask(upstream, { method: 'GET', path, headers, agent: false });
  socket.on('close', () => asking.destroy());
  asking.on('upgrade', (answer, other, otherHead) => {
    socket.write(headOf(answer, pairs(answer.rawHeaders)));
    joinSockets(socket, head, other, otherHead);
  });
  asking.on('response', (answer) => {
    socket.write(headOf(answer, [...endToEnd(answer), ['Connection', 'close']]));
    answer.on('error', () => socket.destroy());
    answer.pipe(socket);
  });
  asking.on('error', (error) => refuseUpgrade(socket, 502, `the service did not answer (${reason(error)})`));
  asking.end();
}

export function refuseUpgrade(socket: Duplex, status: number, why: string): void {
  if (socket.destroyed || !socket.writable) return;
  const body = webdriverError(why);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
