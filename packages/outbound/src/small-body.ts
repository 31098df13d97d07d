import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** As much is kept of a body for the command log, so it is held in one piece; a larger one is streamed. */
const SMALL = 64 * 1024;

type WithBody = IncomingMessage & { body?: unknown };

/** What a command's body is before it is forwarded: none, one to be held, or one to be streamed. */
export function bodyKind({ headers }: IncomingMessage): 'none' | 'small' | 'large' {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 'none' : 'large';
  if (length === '0') return 'none';
  return Number(length) <= SMALL ? 'small' : 'large';
}

/**
 * A body that is streamed, for undici. Of the request itself it would take the socket away once the body is sent, and
 * whoever asks for the client's address after that would end the process.
 */
export function streamedBody(req: IncomingMessage): Readable {
  // Undici takes any iterable and its types do not say so. Not destroyed with it: the client is still to be answered.
  return req.iterator({ destroyOnReturn: false }) as unknown as Readable;
}

/** Calls back once: with the body, or with what went wrong. */
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

/** Parsed, it is left on the request, as Express would. Once. */
export function leaveParsed(req: WithBody, body: Buffer): void {
  if (req.body !== undefined) return;
  try {
    req.body = JSON.parse(body.toString('utf8'));
  } catch {
    req.body = undefined;
  }
}
