import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** @returns the origin by which a browser on this machine reaches the port of a connection, or null if it is closed */
export function localOriginOf(socket: Socket): string | null {
  const { localPort } = socket;
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  return localPort === undefined ? null : new URL(`${scheme}://localhost:${localPort}`).origin;
}
