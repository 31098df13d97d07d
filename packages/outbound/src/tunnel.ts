import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { pairs } from './forward/headers.ts';
import { headOf, joinSockets } from './forward/tunnel.ts';
import type { Connection } from './outbound.ts';

interface Tunnel {
  /** Scheme, host and port. */
  readonly url: string;
  readonly connection: Connection;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly path: string;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Whether the client gets this header of the answer. Name in lower case. */
  readonly passes: (name: string) => boolean;
  /** Refuses the upgrade and closes the client's socket. */
  readonly refuse: (socket: Duplex, status: 404 | 429 | 503) => void;
  /** Called with the error when the other server cannot be reached. */
  readonly failed: (error: unknown) => void;
}

/** How long the other side has to answer an upgrade. */
const ANSWER_MS = 15_000;

/** Refusals the client gets as they are; any other is a 503. */
const PASSED_ON = [404, 429] as const;

/** Passes a WebSocket on: the upgrade with these headers, then bytes both ways. A refusal is bare. */
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
    // Node wants an IPv6 address without its brackets.
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : Number(port),
    method: 'GET',
    path,
    headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket' },
    ...connection,
  });
  // Not `timeout`: Node does not set it on a connection through a proxy, and each byte of an answer restarts it.
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
