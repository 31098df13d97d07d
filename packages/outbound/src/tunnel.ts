import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { pairs } from './forward/headers.ts';
import { headOf, joinSockets } from './forward/tunnel.ts';
import type { Connection } from './outbound.ts';

interface Tunnel {
  /** Scheme, host and port of the other server. */
  readonly url: string;
  readonly connection: Connection;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly path: string;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Returns whether a header of the response is forwarded to the client. `name` is in lower case. */
  readonly passes: (name: string) => boolean;
  /** Refuses the upgrade and closes the client's socket. */
  readonly refuse: (socket: Duplex, status: 404 | 429 | 503) => void;
  /** Called with the error when the other server cannot be reached. */
  readonly failed: (error: unknown) => void;
}

/** Milliseconds within which the other server must respond to the upgrade. */
const ANSWER_MS = 15_000;

/** Statuses of refused upgrades that are forwarded to the client unchanged; any other status becomes 503. */
const PASSED_ON = [404, 429] as const;

/**
 * Forwards a WebSocket: sends the upgrade with the given headers, and then forwards bytes in both directions. If the
 * upgrade is refused, the client gets only a status.
 */
export function tunnelTo({
  url,
  connection,
  headers,
  path,
  socket,
  head,
  passes,
  refuse,
  failed,
}: Tunnel): void {
  const { protocol, hostname, port } = new URL(url);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const asking = send({
    // Node expects an IPv6 address without brackets.
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : Number(port),
    method: 'GET',
    path,
    headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket' },
    ...connection,
  });
  // Do not use the `timeout` option: Node ignores it on a connection through a proxy, and each byte of a response would
  // restart it.
  const timer = setTimeout(() => asking.destroy(new Error('no answer in time')), ANSWER_MS);
  asking.on('close', () => clearTimeout(timer));
  socket.on('close', () => asking.destroy());
  asking.on('upgrade', (answer, other, otherHead) => {
    clearTimeout(timer);
    const headers = pairs(answer.rawHeaders).filter(([name]) => passes(name.toLowerCase()));
    socket.write(headOf(answer, headers));
    joinSockets(socket, head, other, otherHead);
  });
  asking.on('response', (answer: IncomingMessage) => {
    answer.resume();
    refuse(socket, PASSED_ON.find((status) => status === answer.statusCode) ?? 503);
  });
  asking.on('error', (error) => {
    if (socket.destroyed) return;
    failed(error);
    refuse(socket, 503);
  });
  asking.end();
}
