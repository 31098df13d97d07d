import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** For each connection with pipelined requests: the responses that wait behind another one. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Closes the response of a pipelined request when its connection closes. Node.js closes only the response that it is
 * sending, so one that waits behind it would never tell its handler that the client has disconnected: phones would stay
 * reserved, and streams would go on. Call this before the request is handled.
 */
export function closeWithConnection({ socket }: IncomingMessage, res: ServerResponse): void {
  if (res.socket !== null) return;
  const behind = waiting.get(socket) ?? new Set();
  behind.add(res);
  res.once('close', () => behind.delete(res));
  if (waiting.has(socket)) return;
  waiting.set(socket, behind);
  socket.once('close', () => {
    for (const each of behind) {
      // Node.js itself closes the response that has the connection.
      if (each.socket !== null) continue;
      each.destroy();
      each.emit('close');
    }
  });
}
