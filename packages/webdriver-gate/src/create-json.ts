import type { IncomingMessage } from 'node:http';
import { isRecord } from '@svc/contract';
import { excessOf, jsonSizeOf } from '@svc/module';
import { type CreateLimits, readCreate } from './create-body.ts';
import type { CreateShare } from './create-budget.ts';
import { invalidArgument, WebDriverError } from './responses.ts';

/** Maximum number of entries of `firstMatch` (contract 5). */
const MAX_FIRST_MATCH = 64;

/**
 * Maximum memory in bytes that V8 needs for one parsed JSON value and its name. The characters of both are not
 * included.
 */
const BYTES_PER_VALUE = 128;

const UTF8_CHARSET = /^charset\s*=\s*"?utf-?8"?$/;

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
  const body = parsed(bytes);
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

/**
 * Decoder that throws for bytes that are not UTF-8 instead of replacing them. Skips a byte order mark, as Appium does.
 */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function parsed(body: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(body));
  } catch {
    // Do not include the parser's message, because it would quote the body, which may contain credentials.
    throw invalidArgument('the body is not valid JSON');
  }
  if (!isRecord(value)) throw invalidArgument('the body is not a JSON object');
  return value;
}
