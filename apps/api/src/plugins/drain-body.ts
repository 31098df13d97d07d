import type { FastifyReply, FastifyRequest } from 'fastify';

/** Maximum number of bytes that are read of a refused body, so that a client cannot send without end. */
const DRAIN_BYTES = 16 * 1024 * 1024;
const DRAIN_MS = 2_000;

/**
 * Reads and discards the rest of a body that was refused for its size, so that the client receives the response. If the
 * server closed the connection earlier, the kernel would reset it, and a client that is still sending would get an
 * error instead of the response. A client that exceeds `DRAIN_BYTES` or `DRAIN_MS` is disconnected.
 */
export function drainBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  reply.removeHeader('connection');
  let left = DRAIN_BYTES;
  const cut = (): void => void raw.socket?.destroy();
  const timer = setTimeout(cut, DRAIN_MS).unref();
  raw.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left < 0) cut();
  });
  // If the connection is kept alive, the request may emit `end` but not `close`. A timer that is still running would
  // then abort the next request on the same connection.
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer));
  raw.resume();
}
