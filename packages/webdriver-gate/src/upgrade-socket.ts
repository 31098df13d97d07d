import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Adds an `error` listener to a socket that Node delivered for an upgrade. Node has removed its own listener. Without
 * another one, a client that resets the connection during the check would cause an uncaught error, which ends the
 * process.
 *
 * @returns a function that removes the listener. Call it before another part of the server takes the socket over.
 */
export function guardSocket(socket: Duplex): () => void {
  socket.on('error', ignore);
  return () => socket.off('error', ignore);
}

function ignore(): void {}

/** Statuses with which upgrades are refused (specification 5.7.7, contract 5). */
export type UpgradeRefusal = 400 | 404 | 429 | 503;

/**
 * Responds to an upgrade with only a status and closes the connection (specification 5.7.7). The client may already
 * have disconnected, so the socket gets an `error` listener, without which the error would end the process.
 */
export function refuseUpgrade(socket: Duplex, status: UpgradeRefusal): void {
  const reason = STATUS_CODES[status];
  guardSocket(socket);
  // Also destroy the socket of a client that never closes its side of the connection.
  socket.once('finish', () => socket.destroy());
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Time (ms) that a client has to read the close frame before its connection is closed. */
const CLOSE_MS = 1000;

/**
 * Returns a function that sends a WebSocket close frame, closes the connection, and ignores what the client still
 * sends. Call `closeWebSocket` before the upgrade is forwarded, so that the returned function can detect whether a
 * response has been written since. Without a response, the connection is not a WebSocket yet, and is closed without a
 * frame. The frame cannot land inside another one, because `ws` writes each frame in one call.
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
/** Socket with its HTTP parser. The parser is a private property of Node, so it may be missing. */
type ParsedSocket = IncomingMessage['socket'] & { parser?: { remove?: () => void } | null };

/**
 * Removes Node's HTTP parser from the socket of an upgrade when another part of the server begins to read from the
 * socket. Node releases that deliver upgrades as requests keep the parser, and its time-out would close the WebSocket
 * after minutes. Call this before the upgrade is forwarded. If the upgrade gets an ordinary response, the parser stays.
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
