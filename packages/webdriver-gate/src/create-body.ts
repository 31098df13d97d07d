import type { IncomingMessage } from 'node:http';
import type { CreateShare } from './create-budget.ts';
import { WebDriverError } from './responses.ts';

/** Limits on the body of one create-session request. */
export interface CreateLimits {
  /** Maximum size of the body in bytes (`SVC_CREATE_MAX_BYTES`). */
  readonly maxBytes: number;
  /** Milliseconds within which the body must arrive. */
  readonly withinMs: number;
}

/**
 * Maximum number of chunks of a body. Each chunk takes processor time, and a client could send one byte per chunk.
 * Ordinary clients send at least a kilobyte in each chunk.
 */
const MAX_CHUNKS = 16_384;

function tooLarge(limit: string): WebDriverError {
  return new WebDriverError(413, 'invalid argument', `the body ${limit}`);
}

const largerThan = (maxBytes: number): WebDriverError => tooLarge(`is larger than ${maxBytes} bytes`);

/** Error for a client that closed the connection before its body was complete, so that no response can be sent. */
export class ClientGone extends Error {}

function tooSlow(): WebDriverError {
  return new WebDriverError(408, 'timeout', 'the body did not arrive in time');
}

/** Initial capacity of the buffer for a body, in bytes. */
const FIRST_CAPACITY = 4096;

/**
 * Reads the body of a create-session request into one buffer. The size of this buffer counts towards the memory limit
 * for all such bodies until the caller calls `share.release()`. Without `share`, the body is discarded, and the result is
 * empty. Rejects with 413 if the body is too large, and with 408 if it does not arrive completely in time.
 */
export async function readCreate(
  req: IncomingMessage,
  { maxBytes, withinMs }: CreateLimits,
  share?: CreateShare,
): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw largerThan(maxBytes);
  return await new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0);
    let size = 0;
    let chunks = 0;
    const timer = setTimeout(() => fail(tooSlow()), withinMs).unref();
    const settle = (): void => {
      clearTimeout(timer);
      share?.read();
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    const fail = (error: unknown): void => {
      settle();
      reject(error);
    };
    const onData = (data: Buffer): void => {
      const before = size;
      size += data.length;
      try {
        if (size > maxBytes) throw largerThan(maxBytes);
        if (++chunks > MAX_CHUNKS) throw tooLarge(`has more than ${MAX_CHUNKS} chunks`);
        if (share === undefined) return;
        // Copy the chunks into one buffer that doubles when it is full, because each chunk object takes hundreds of
        // bytes and a client can send one byte per chunk.
        if (size > body.length) {
          const capacity = Math.min(maxBytes, Math.max(FIRST_CAPACITY, size, body.length * 2));
          share.hold(capacity);
          const grown = Buffer.allocUnsafeSlow(capacity);
          body.copy(grown, 0, 0, before);
          body = grown;
        }
        data.copy(body, before);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(body.subarray(0, size));
    };
    const onGone = (): void => fail(new ClientGone());
    share?.reading(fail);
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
