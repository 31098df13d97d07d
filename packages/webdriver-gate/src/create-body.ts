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

/**
 * Reads the body of a create-session request into one buffer. The size of this buffer counts towards the memory limit
 * for all such bodies until the caller calls `share.release()`.
 */
export async function readCreate(
  req: IncomingMessage,
  limits: CreateLimits,
  share: CreateShare,
): Promise<Buffer> {
  const body = new GrowingBody(limits.maxBytes, share);
  await receive(req, limits, { chunk: (chunk) => body.append(chunk), share });
  return body.bytes();
}

/** Reads and discards the body of a request, with the same limits as for a create-session request. */
export function discardCreate(req: IncomingMessage, limits: CreateLimits): Promise<void> {
  return receive(req, limits, { chunk: () => undefined });
}

interface Receiver {
  chunk(chunk: Buffer): void;
  readonly share?: CreateShare;
}

/**
 * Passes each chunk of a body to `chunk`. Rejects with 413 if the body is too large, and with 408 if it does not arrive
 * completely in time.
 */
function receive(
  req: IncomingMessage,
  { maxBytes, withinMs }: CreateLimits,
  { chunk, share }: Receiver,
): Promise<void> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(largerThan(maxBytes));
  return new Promise((resolve, reject) => {
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
      size += data.length;
      try {
        if (size > maxBytes) throw largerThan(maxBytes);
        if (++chunks > MAX_CHUNKS) throw tooLarge(`has more than ${MAX_CHUNKS} chunks`);
        chunk(data);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void => {
      settle();
      resolve();
    };
    const onGone = (): void => fail(new ClientGone());
    share?.reading(fail);
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/** Initial capacity of the buffer for a body, in bytes. */
const FIRST_CAPACITY = 4096;

/**
 * Collects a body in one buffer that doubles when it is full. The chunks are copied, because each chunk object takes
 * hundreds of bytes and a client can send one byte per chunk.
 */
class GrowingBody {
  readonly #most: number;
  readonly #share: CreateShare;
  #buffer: Buffer = Buffer.alloc(0);
  #size = 0;

  constructor(most: number, share: CreateShare) {
    this.#most = most;
    this.#share = share;
  }

  append(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > this.#buffer.length) this.#grow(size);
    chunk.copy(this.#buffer, this.#size);
    this.#size = size;
  }

  #grow(least: number): void {
    const capacity = Math.min(this.#most, Math.max(FIRST_CAPACITY, least, this.#buffer.length * 2));
    this.#share.hold(capacity);
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(grown, 0, 0, this.#size);
    this.#buffer = grown;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }
}
