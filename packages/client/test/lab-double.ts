import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Imitates the WebDriver gate and the servers behind it as far as a proxy can observe: plain HTTP and a WebSocket
 * handshake.
 */
export interface LabDouble {
  readonly url: string;
  readonly seen: IncomingMessage[];
  readonly bodies: string[];
  /** Sockets that were upgraded to WebSockets and are still open. */
  readonly sockets: Set<Duplex>;
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  /** Status with which the server refuses the next upgrades, or undefined to accept them. */
  refuseUpgrade: number | undefined;
  close(): Promise<void>;
}

export async function startLabDouble(): Promise<LabDouble> {
  const server = createServer(async (request, response) => {
    double.seen.push(request);
    let body = '';
    for await (const chunk of request) body += chunk;
    double.bodies.push(body);
    double.answer(request, response, body);
  });
  server.on('upgrade', (request, socket) => {
    double.seen.push(request);
    if (double.refuseUpgrade !== undefined) {
      socket.end(`HTTP/1.1 ${double.refuseUpgrade} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      return;
    }
    double.sockets.add(socket);
    socket.on('close', () => double.sockets.delete(socket)).on('error', () => socket.destroy());
    const key = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${key}\r\n\r\nhello`,
    );
    socket.on('data', (data) => socket.write(`echo ${data}`)).on('end', () => socket.end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const double: LabDouble = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    bodies: [],
    sockets: new Set(),
    refuseUpgrade: undefined,
    answer: (_request, response) => response.end('{"value":null}'),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
        for (const socket of double.sockets) socket.destroy();
      }),
  };
  return double;
}

/**
 * Credential headers that a client of the proxy sends, each with a different value, so that tests can check their
 * removal.
 */
export const THEIRS = {
  'x-svc-access-key': 'svc_theirs',
  'x-svc-token': 'svct_theirs',
  'x-svc-hub-token': 'hub',
  authorization: 'Bearer theirs',
  cookie: 'svc_dashboard_session=theirs',
  'proxy-authorization': 'Basic theirs',
};

/** A TCP connection for raw bytes. `read` resolves to everything received as soon as it contains `until`. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string): void;
  read(until: string | RegExp): Promise<string>;
  readonly closed: Promise<string>;
}

export function rawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  let text = '';
  const looks = new Set<() => void>();
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    for (const look of looks) look();
  });
  const closed = new Promise<string>((done) => socket.on('close', () => done(text)));
  socket.on('error', () => {});
  return {
    socket,
    closed,
    write: (data) => socket.write(data),
    read: (until) =>
      new Promise((found, failed) => {
        const look = () => {
          if (!(typeof until === 'string' ? text.includes(until) : until.test(text))) return;
          looks.delete(look);
          found(text);
        };
        looks.add(look);
        void closed.then(() => looks.has(look) && failed(new Error(`closed after: ${text}`)));
        look();
      }),
  };
}
