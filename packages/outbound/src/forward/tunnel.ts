import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Each end's bytes to the other. Both are ours from here on: when one ends or fails, so does the other. A WebSocket
 * has no half-closed state, and an end that never answers would stay open forever.
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
    // Not `pipe`: an end that is being closed takes nothing more, and that is no error.
    from.on('data', (chunk: Buffer) => {
      if (to.writable && !to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
  }
}

/** A response's first lines, as they go over the wire. */
export function headOf(
  { statusCode, statusMessage }: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  headers: readonly [string, string][],
): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\r\n')}\r\n\r\n`;
}
