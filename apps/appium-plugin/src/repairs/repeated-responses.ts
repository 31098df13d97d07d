import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const KEEP_ALIVE = /\r\nConnection: keep-alive(?=\r\n)/i;

/** Latest response on each connection that carried a request with an idempotency key. */
const latest = new WeakMap<Socket, ServerResponse>();

/**
 * Closes the connection after Appium has repeated an earlier response on it. Appium does this if a request has an
 * `X-Idempotency-Key` that it has already received. It writes the repeated response directly to the socket and never
 * ends the response object of Node.js. Node.js therefore still waits for that object, and the next request on the
 * connection would get no response. Call this before Appium gets a request with such a key.
 */
export function closeAfterRepeat({ httpVersionMajor }: IncomingMessage, res: ServerResponse): void {
  const { socket } = res;
  // Responses over HTTP/2 are left unchanged, because they have no connection of their own that could be closed.
  if (httpVersionMajor > 1 || socket === null) return;
  const isWatched = latest.has(socket);
  latest.set(socket, res);
  if (isWatched) return;
  const write = socket.write.bind(socket) as (chunk: unknown, ...rest: unknown[]) => boolean;
  socket.write = (chunk: unknown, ...rest: unknown[]) => {
    // Before Node.js writes a response, it sets `headersSent`. If it is not set, Appium is writing a repeated response.
    if (latest.get(socket)?.headersSent !== false) return write(chunk, ...rest);
    const isWritten = write(String(chunk).replace(KEEP_ALIVE, '\r\nConnection: close'), ...rest);
    socket.end();
    return isWritten;
  };
}
