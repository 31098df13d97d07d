import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/**
 * Maximum size in bytes of a body that is buffered, so that the command log can store it. Larger bodies are streamed.
 */
const SMALL = 64 * 1024;

type WithBody = IncomingMessage & { body?: unknown };

/** Returns whether a command has no body, a body that is small enough to be buffered, or one that must be streamed. */
export function bodyKind({ headers }: IncomingMessage): 'none' | 'small' | 'large' {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 'none' : 'large';
  if (length === '0') return 'none';
  return Number(length) <= SMALL ? 'small' : 'large';
}

/**
 * Returns the body of a request as a stream for undici. Do not pass the request itself: after sending the body, undici
 * would set `socket` of the request to null. Code that reads the client's address from the socket later would throw an
 * error that ends the process.
 */
export function streamedBody(req: IncomingMessage): Readable {
  // undici accepts any iterable, although its types do not say so. Do not destroy the request when the iterator ends,
  // because that would close the socket before the response is sent.
  return req.iterator({ destroyOnReturn: false }) as unknown as Readable;
}

/** Reads a small body. Calls either `read` with the complete body or `failed` with the error, and only once. */
export function readSmallBody(
  req: IncomingMessage,
  read: (body: Buffer) => void,
  failed: (error: unknown) => void,
): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let isOver = false;
  const fail = (error?: Error): void => {
    if (isOver) return;
    isOver = true;
    failed(error ?? new Error('the client is gone'));
  };
  req.on('data', (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  req.on('end', () => {
    isOver = true;
    read(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more));
  });
  req.on('error', fail);
  req.on('close', () => fail());
}

/** Sets `req.body` to the body parsed from JSON, as Express would, unless `req.body` is already set. */
export function leaveParsed(req: WithBody, body: Buffer): void {
  if (req.body !== undefined) return;
  try {
    req.body = JSON.parse(body.toString('utf8'));
  } catch {
    req.body = undefined;
  }
}
