import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** @returns whether a request asks to change its connection to a WebSocket */
export function isWebSocketUpgrade({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade !== undefined && headers.upgrade.toLowerCase() === 'websocket';
}

/**
 * Forwards the bytes of two sockets to each other and takes ownership of both. When one socket ends or fails, the other
 * is closed too, because a WebSocket has no half-closed state and a silent peer would keep its socket open forever.
 */
export function joinSockets(socket: Duplex, head: Buffer, other: Duplex, otherHead: Buffer): void {
  for (const [from, to, first] of [
    [socket, other, head],
    [other, socket, otherHead],
  ] as const) {
    from.on('error', () => from.destroy());
    from.on('close', () => to.destroy());
    from.on('end', () => to.end(() => from.destroy()));
    if (first.length > 0) to.write(first);
    // Write only while the other socket is writable. `pipe` would also write to a socket that is being closed, which
    // causes an error.
    from.on('data', (chunk: Buffer) => {
      if (to.writable && !to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
  }
}

/** Returns the head of an HTTP/1.1 response as text: the status line, the headers and the empty line after them. */
export function headOf(
  { statusCode, statusMessage }: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  headers: readonly [string, string][],
): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\r\n')}\r\n\r\n`;
}
