import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && headers.upgrade.toLowerCase() === 'websocket';
}

/**
 * Adds an `error` listener to a socket that Node delivered for an upgrade. Node has removed its own listener, so
 * otherwise a client that resets the connection during the check would cause an uncaught error and end the process.
 *
 * @returns a function that removes the listener, for the next owner of the socket
 */
export function guardSocket(socket: Duplex): () => void {
  socket.on('error', ignore);
  return () => socket.off('error', ignore);
}

function ignore(): void {}

/** Statuses of refused upgrades (specification 5.7.7, contract 5). */
export type UpgradeRefusal = 404 | 429 | 503;

/**
 * Sends only a status and closes the connection (specification 5.7.7). Adds an `error` listener, because the client may
 * already have disconnected.
 */
export function refuseUpgrade(socket: Duplex, status: UpgradeRefusal): void {
  const reason = STATUS_CODES[status];
  guardSocket(socket);
  // Close the connection even if the client never closes its half or stops reading.
  socket.once('finish', () => socket.destroy());
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Milliseconds that a client has to read the close frame before its connection is closed. */
const CLOSE_MS = 1000;

/**
 * Returns a function that sends a close frame, closes the connection, and ignores what the client sends afterwards.
 * Call this before the upgrade is forwarded, so that the function can detect whether a response was written. The close
 * frame cannot split a frame of the automation server, because `ws` writes each of its frames in one call. A connection
 * without a response yet is not a WebSocket, so it is closed without a frame.
 */
export function closeWebSocket(socket: Duplex): (code: number, reason: string) => void {
  const before = bytesWritten(socket);
  return (code, reason) => {
    guardSocket(socket);
    socket.removeAllListeners('data');
    socket.resume();
    if (bytesWritten(socket) === before || socket.writableEnded) {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), CLOSE_MS).unref();
    socket.once('close', () => clearTimeout(timer));
    socket.once('finish', () => socket.destroy());
    socket.end(closeFrame(code, reason));
  };
}

function bytesWritten(socket: Duplex): number {
  return (socket as Partial<IncomingMessage['socket']>).bytesWritten ?? 0;
}

/** Encodes a close frame (RFC 6455, 5.5.1). `reason` has at most 123 bytes. */
function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  return Buffer.concat([Buffer.from([0x88, 2 + text.length, code >> 8, code & 0xff]), text]);
}

const HTTP_EVENTS = ['data', 'end', 'drain', 'timeout'] as const;
type Listener = (...args: never[]) => void;
/** Socket with its HTTP parser, which may be missing because it is a private property of Node. */
type ParsedSocket = IncomingMessage['socket'] & { parser?: { remove?: () => void } | null };

/**
 * Removes the HTTP parser of an upgraded socket once the new owner reads from the socket. On Node releases that deliver
 * upgrades as requests, the time-out of the parser would otherwise close the socket after minutes. Call this before the
 * request is forwarded. A request that gets an ordinary response keeps its parser.
 */
export function leaveHttpOnceTaken({ socket }: IncomingMessage, res: ServerResponse): void {
  const own = HTTP_EVENTS.map((event) => [event, socket.listeners(event) as Listener[]] as const);
  const onListener = (event: string | symbol): void => {
    if (event !== 'data') return;
    socket.off('newListener', onListener);
    setImmediate(leave, socket, own);
  };
  socket.on('newListener', onListener);
  res.once('close', () => socket.off('newListener', onListener));
}

function leave(socket: ParsedSocket, own: readonly (readonly [string, Listener[]])[]): void {
  const { parser } = socket;
  if (socket.destroyed || typeof parser?.remove !== 'function') return;
  for (const [event, listeners] of own) for (const each of listeners) socket.off(event, each as () => void);
  parser.remove();
}
