import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type * as Multipart from '@fastify/busboy';
import { Refusal } from '@svc/auth-core';
import { unknownField } from '../http/handle.ts';

export interface FileLimits {
  /** Name of the only accepted field. */
  readonly field: string;
  /** Maximum size of the file in bytes. */
  readonly fileBytes: number;
  /** Maximum time without data from the client (ms). */
  readonly idleMs: number;
  /** Signal that aborts the upload. Its abort reason is the error with which the client's request is refused. */
  readonly signal: AbortSignal;
}

type Store<T> = (name: string | undefined, content: AsyncIterable<Uint8Array>) => Promise<T>;
type Refuse = (error: unknown) => void;
type Parser = InstanceType<typeof Multipart.Busboy>;

/**
 * Maximum number of bytes of the body besides the file, for boundaries, the headers of the part, and text before and
 * after it.
 */
const AROUND_FILE = 64 * 1024;
const PARTS = { fields: 1, fieldSize: 1, files: 1, parts: 1, headerPairs: 32, headerSize: 16 * 1024 };
/**
 * Maximum time for reading and discarding the rest of a refused body (ms). If the connection were closed while the
 * client is still sending, the client would get a connection reset instead of the refusal.
 */
const DRAIN_MS = 3_000;
/**
 * Maximum time (ms) for discarding the rest of a body after the caller has lost the permission to upload, or while the
 * server stops.
 */
const CUT_MS = 300;

const STOOD_STILL = { message: 'Nothing came for too long.' };
const NO_FILE = { message: 'The field is no file: give it a file name.' };
const ONE_FILE = { message: 'One file is sent at a time, and nothing else.' };
const BROKEN = { message: 'The multipart body is broken or not whole.' };

/**
 * Streams the file of a multipart body to `store`, and resolves with the result of `store` when the body is complete.
 * The body must contain only that file; other content is refused. An error destroys the stream that `store` reads. The
 * returned promise rejects only after `store` has ended.
 */
export async function receiveFile<T>(body: IncomingMessage, limits: FileLimits, store: Store<T>): Promise<T> {
  const { field, fileBytes } = limits;
  let content: Readable | undefined;
  let stored: Promise<T> | undefined;
  const parser = await parserOf(body, fileBytes);
  const whole = new Promise<void>((resolve, refuse) => {
    parser.on('file', (name, file, fileName) => {
      content = file.on('error', () => undefined);
      if (name !== field) return refuse(unknownField(name ?? 'a part without a name'));
      stored = store(fileName, file);
      stored.catch(refuse);
    });
    refuseAllElse(parser, field, refuse);
    parser.once('finish', resolve);
    watch(body, limits, refuse);
    body.pipe(parser);
  });
  try {
    await whole;
    if (stored === undefined)
      throw new Refusal('bad_request', 'no file', { message: `${field}: is required` });
    return await stored;
  } catch (error) {
    body.unpipe(parser);
    parser.destroy();
    content?.destroy(new Error('the upload was cut off'));
    await stored?.catch(() => undefined);
    drain(body, limits.signal.aborted ? CUT_MS : DRAIN_MS);
    throw error;
  }
}

/**
 * Returns the parser of a body. Its library is loaded with the first upload, so that servers without uploads do not
 * need the memory.
 */
async function parserOf({ headers }: IncomingMessage, fileBytes: number): Promise<Parser> {
  const { Busboy } = await import('@fastify/busboy');
  try {
    const limits = { ...PARTS, fileSize: fileBytes + 1 };
    return new Busboy({ headers: { 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    throw new Refusal('bad_request', 'no boundary', BROKEN);
  }
}

function refuseAllElse(parser: Parser, field: string, refuse: Refuse): void {
  parser.on('field', (name) =>
    refuse(name === field ? new Refusal('bad_request', 'no file', NO_FILE) : unknownField(String(name))),
  );
  for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(event, () => refuse(new Refusal('bad_request', event, ONE_FILE)));
  parser.on('error', () => refuse(new Refusal('bad_request', 'the multipart body is broken', BROKEN)));
}

/** Refuses a body that is too large, stalls or is incomplete, or whose upload was aborted by the signal. */
function watch(body: IncomingMessage, { fileBytes, idleMs, signal }: FileLimits, refuse: Refuse): void {
  const mostBytes = fileBytes + AROUND_FILE;
  const tooLarge = (): void => refuse(new Refusal('body_too_large'));
  const gone = (): void => refuse(new Refusal('bad_request', 'the client went away'));
  const cut = (): void => refuse(signal.reason);
  const idle = setTimeout(() => refuse(new Refusal('bad_request', 'stood still', STOOD_STILL)), idleMs);
  idle.unref();
  let received = 0;
  body.on('data', (chunk: Buffer) => {
    idle.refresh();
    received += chunk.length;
    if (received > mostBytes) tooLarge();
  });
  const over = (): void => {
    clearTimeout(idle);
    signal.removeEventListener('abort', cut);
    if (!body.readableEnded) gone();
  };
  body.once('end', over).once('close', over).on('error', gone);
  signal.addEventListener('abort', cut);
  if (Number(body.headers['content-length'] ?? 0) > mostBytes) tooLarge();
  if (signal.aborted) cut();
  if (body.destroyed) over();
}

function drain(body: IncomingMessage, ms: number): void {
  if (body.readableEnded || body.destroyed) return;
  const timer = setTimeout(() => body.destroy(), ms).unref();
  body.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  body.resume();
}
