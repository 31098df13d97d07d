import type { IncomingMessage } from 'node:http';
import { isRecord } from '@svc/contract';
import { excessOf, jsonSizeOf } from '@svc/module';
import type { CreateShare } from './create-budget.ts';
import { invalidArgument, WebDriverError } from './responses.ts';

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

/** Maximum number of entries of `firstMatch` (contract 5). */
const MAX_FIRST_MATCH = 64;

/**
 * Maximum memory in bytes that V8 needs for one parsed JSON value and its name. The characters of both are not
 * included.
 */
const BYTES_PER_VALUE = 128;

const UTF8_CHARSET = /^charset\s*=\s*"?utf-?8"?$/;

/**
 * Decoder that throws for bytes that are not UTF-8 instead of replacing them. Skips a byte order mark, as Appium does.
 */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a create-session request as JSON. Rejects with a `WebDriverError`, whose message never quotes the
 * body, if the body is refused. Other forms that Appium accepts (urlencoded, compressed, other charsets) are refused,
 * because the gate could not find the credentials in them, and Appium would log them. The caller must call
 * `share.release()`.
 */
export async function readJsonBody(
  req: IncomingMessage,
  limits: CreateLimits,
  share: CreateShare,
): Promise<Record<string, unknown>> {
  checkEncoding(req);
  const bytes = await readCreate(req, limits, share);
  if (bytes.length === 0) return {};
  const size = jsonSizeOf(bytes);
  const excess = excessOf(size);
  if (excess !== null) throw invalidArgument(`the body has ${excess}`);
  let body: unknown;
  try {
    body = JSON.parse(UTF8.decode(bytes));
  } catch {
    // Do not include the parser's message, because it would quote the body, which may contain credentials.
    throw invalidArgument('the body is not valid JSON');
  }
  if (!isRecord(body)) throw invalidArgument('the body is not a JSON object');
  share.hold(2 * bytes.length + size.values * BYTES_PER_VALUE);
  const entries = isRecord(body.capabilities) ? body.capabilities.firstMatch : undefined;
  // Appium merges each entry with all of `alwaysMatch`, so many entries would take much processor time.
  if (Array.isArray(entries) && entries.length > MAX_FIRST_MATCH)
    throw invalidArgument(`firstMatch has more than ${MAX_FIRST_MATCH} entries`);
  return body;
}

function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('a compressed body is not accepted here; send it without Content-Encoding');
  }
  const type = headers['content-type'];
  if (type !== undefined && type.trim() !== '' && !isJsonInUtf8(type)) {
    throw unsupported('a session is created from application/json in UTF-8');
  }
}

function isJsonInUtf8(type: string): boolean {
  const [essence, charset = '', last = '', ...more] = type
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (essence !== 'application/json' || last !== '' || more.length > 0) return false;
  return charset === '' || UTF8_CHARSET.test(charset);
}

function unsupported(message: string): WebDriverError {
  return new WebDriverError(415, 'invalid argument', message);
}
