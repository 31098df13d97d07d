import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

/** Status that Node.js sends for an invalid request, by the code of the error. For all other codes it sends 400. */
export const CLIENT_ERROR_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Time limits for clients (ms). There is no limit on the time in which a client reads a response or waits for one. */
export interface ClientLimits {
  /**
   * Maximum time from the first byte of a request to the end of its headers. A new connection that has not sent a byte
   * yet is closed after the same time.
   */
  readonly headersMs: number;
  /**
   * Maximum time from the TCP connection to its first byte. On a TLS server, `headersMs` begins only after the
   * handshake.
   */
  readonly silentMs: number;
  /** Interval at which Node.js checks `headersMs`. */
  readonly checkEveryMs: number;
}

const CLIENT_LIMITS: ClientLimits = { headersMs: 30_000, silentMs: 60_000, checkEveryMs: 5_000 };

export interface ConnectionLimit {
  /** Maximum number of open connections of one peer address; 0 means unlimited. */
  readonly maxConnections: number;
  /**
   * Returns whether an address belongs to a trusted proxy, whose connections are not counted, because a proxy forwards
   * the connections of many clients.
   */
  readonly isTrustedProxy: (address: string) => boolean;
}

const untimed = new WeakSet<object>();
/** For each counted socket: the function that stops counting it towards the limit of its peer's address. */
const counted = new WeakMap<object, () => void>();

/** Returns whether the connection of this socket counts towards the limit of its peer's address. */
export function isCounted(socket: object): boolean {
  return counted.has(socket);
}

/**
 * Stops counting the connection of this socket, because its peer has proven to be another server of the lab, which
 * forwards the connections of many clients. Has no effect on a connection that is not counted.
 */
export function stopCounting(socket: object): void {
  counted.get(socket)?.();
}

/**
 * Suspends the `requestTimeout` of Node.js for the request on this socket. The caller enforces another timeout until it
 * calls `resume`.
 */
export function suspendTimeout(socket: object): { resume(): void } {
  untimed.add(socket);
  return { resume: () => untimed.delete(socket) };
}

/**
 * Returns whether a `clientError` event reports a timeout that `suspendTimeout` has suspended. Node.js emits the event
 * nevertheless, so its listener must ignore the event and leave the connection open.
 */
export function isUntimed({ code }: NodeJS.ErrnoException, socket: object): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && untimed.has(socket);
}

/**
 * Limits the connections of clients that send slowly or not at all. Call this before the server listens. Complete
 * requests are not affected: a long command, its response, and upgraded sockets have no time limit here.
 */
export function limitClients(
  server: Server,
  { maxConnections, isTrustedProxy }: ConnectionLimit,
  { headersMs, silentMs, checkEveryMs }: ClientLimits = CLIENT_LIMITS,
): void {
  const checked = server as Server & { connectionsCheckingInterval?: number };
  checked.connectionsCheckingInterval = Math.min(
    checked.connectionsCheckingInterval ?? checkEveryMs,
    checkEveryMs,
  );
  // Set the timeout only when the server listens. Appium sets its own, of ten minutes, while it starts the server, and
  // would overwrite an earlier value.
  server.once('listening', () => {
    server.headersTimeout = headersMs;
  });
  if (server.listenerCount('clientError') === 0) server.on('clientError', answerAsNode);
  server.on('connection', (socket: Socket) => closeSilent(socket, silentMs));
  if (maxConnections > 0) limitConnections(server, { maxConnections, isTrustedProxy });
}

function limitConnections(server: Server, { maxConnections, isTrustedProxy }: ConnectionLimit): void {
  const open = new Map<string, number>();
  /**
   * For each connection of a TLS server, the function that stops counting it. The key is the address and port of the
   * peer. The entry is removed when the TLS handshake has ended.
   */
  const beneathTls = new Map<string, () => void>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: peer } = socket;
    if (peer === undefined || isTrustedProxy(peer)) return;
    const count = open.get(peer) ?? 0;
    if (count >= maxConnections) {
      socket.destroy();
      return;
    }
    open.set(peer, count + 1);
    const end = endOf(socket);
    const leave = (): void => {
      if (!counted.delete(socket)) return;
      beneathTls.delete(end);
      const left = (open.get(peer) ?? 1) - 1;
      if (left > 0) open.set(peer, left);
      else open.delete(peer);
    };
    counted.set(socket, leave);
    if (server instanceof TlsServer) beneathTls.set(end, leave);
    socket.once('close', leave);
  });
  // In a TLS server, a request has the TLS socket, but the TCP socket below it was counted. Therefore also store a
  // function for the TLS socket, so that `stopCounting` finds one.
  server.on('secureConnection', (socket: Socket) => {
    const leave = beneathTls.get(endOf(socket));
    beneathTls.delete(endOf(socket));
    if (leave === undefined) return;
    counted.set(socket, () => {
      counted.delete(socket);
      leave();
    });
  });
}

function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Responds to an invalid request as Node.js does if the event `clientError` has no listener. */
function answerAsNode(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (isUntimed(error, socket)) return;
  const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } };
  if (socket.writable && response?.headersSent !== true) {
    const status = CLIENT_ERROR_STATUS[error.code ?? ''] ?? '400 Bad Request';
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  }
  socket.destroy(error);
}

function closeSilent(socket: Socket, silentMs: number): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, silentMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
