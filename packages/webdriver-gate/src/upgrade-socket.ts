import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && headers.upgrade.toLowerCase() === 'websocket';
}

/**
 * Keeps a socket that Node has handed over for an upgrade from ending the process: Node takes its own `error`
 * listener off it, and a client that resets the connection during the check would then be an uncaught error. The
 * answer takes the guard off again, for the next owner of the socket.
 */
export function guardSocket(socket: Duplex): () => void {
  socket.on('error', ignore);
  return () => socket.off('error', ignore);
}

function ignore(): void {}

/** Statuses of refused upgrades (specification 5.7.7, contract 5). */
export type UpgradeRefusal = 404 | 429 | 503;

/** Bare, and the connection is closed (specification 5.7.7). Guarded for good: the client may be gone by now. */
export function refuseUpgrade(socket: Duplex, status: UpgradeRefusal): void {
  const reason = STATUS_CODES[status];
  guardSocket(socket);
  // A client that never closes its half, or never reads on, does not keep the connection.
  socket.once('finish', () => socket.destroy());
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** How long a client that does not read has for the close frame. */
const CLOSE_MS = 1000;

/**
 * Call before the upgrade is handed on; the answer closes what has become of it: a close frame, then the connection.
 * Nothing the client sends from then on is read. The frame fits between those of the automation server, whose `ws`
 * writes each in one go; a connection that nobody has answered on yet is no WebSocket and just ends.
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

/** RFC 6455, 5.5.1. `reason`: at most 123 bytes. */
function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  return Buffer.concat([Buffer.from([0x88, 2 + text.length, code >> 8, code & 0xff]), text]);
}

const HTTP_EVENTS = ['data', 'end', 'drain', 'timeout'] as const;
type Listener = (...args: never[]) => void;
/** Private to Node, so looked for and never counted on. */
type ParsedSocket = IncomingMessage['socket'] & { parser?: { remove?: () => void } | null };

/**
 * On Node releases that deliver upgrades as requests, an upgraded socket keeps its HTTP parser, whose request
 * time-outs cut it after minutes. Call before handing the request on: as soon as somebody reads from the socket
 * itself it is no longer HTTP's. A request that is answered after all stays one.
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
