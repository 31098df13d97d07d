import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/**
 * Maximum size in bytes of a buffered body. The command log stores bodies up to this size; larger ones are streamed.
 */
const SMALL = 64 * 1024;

type WithBody = IncomingMessage & { body?: unknown };

/**
 * Returns how to forward the body of a command: there is none, it is small enough to be buffered, or it is streamed.
 */
export function bodyKind({ headers }: IncomingMessage): 'none' | 'small' | 'large' {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 'none' : 'large';
  if (length === '0') return 'none';
  return Number(length) <= SMALL ? 'small' : 'large';
}

/**
 * Returns the body of a request for undici to stream. If undici got the request itself, it would detach the socket
 * after sending the body, and reading the client's address afterwards would end the process.
 */
export function streamedBody(req: IncomingMessage): Readable {
  // Undici accepts any iterable, although its types do not say so. The request must not be destroyed when the iterator
  // ends, because the client still needs a response.
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
