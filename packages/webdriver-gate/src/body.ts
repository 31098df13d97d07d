import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidArgument, WebDriverError } from './responses.ts';

/** How long the body of a create or of a public route may take, in ms: strangers may send both. */
export const BODY_MS = 60_000;

/** Far above any honest session create; the body is in memory once. */
export const LARGEST_CREATE = 4 * 1024 * 1024;

const UTF8_CHARSET = /^charset\s*=\s*"?utf-?8"?$/;

/**
 * Reads the body of a session create as JSON, the only form accepted. The other forms Appium decodes (urlencoded,
 * compressed, other charsets) are refused here, before Appium reads or logs them: each would bypass the gate.
 * Rejects with a `WebDriverError`; its message never quotes the body.
 */
export async function readJsonBody(req: IncomingMessage, bodyMs: number): Promise<Record<string, unknown>> {
  checkEncoding(req);
  const body = await readAll(req, LARGEST_CREATE, bodyMs);
  return body.length === 0 ? {} : parsed(body);
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

function tooLarge(): WebDriverError {
  return new WebDriverError(413, 'invalid argument', `the body is larger than ${LARGEST_CREATE} bytes`);
}

/** The client closed the connection; there is no one to answer. */
export class ClientGone extends Error {}

function tooSlow(): WebDriverError {
  return new WebDriverError(408, 'timeout', 'the body did not arrive in time');
}

/** `withinMs`: rejects with 408 when it is not there whole by then. */
export function readAll(req: IncomingMessage, limit: number, withinMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(() => reject(tooSlow())), withinMs).unref();
    const settle = (done: () => void) => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      done();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) settle(() => reject(tooLarge()));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, size)));
    const onGone = () => settle(() => reject(new ClientGone()));
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/** `fatal`: bytes that are no UTF-8 are refused, not replaced. A byte order mark is skipped, as Appium does. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function parsed(body: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(body));
  } catch {
    // The parser's own message would quote the body.
    throw invalidArgument('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidArgument('the body is not a JSON object');
  }
  return value as Record<string, unknown>;
}

/** Appium's server over TLS tells it in its own way, and calls the version 1.1. */
function isHttp2(req: IncomingMessage): boolean {
  return (req as { isSpdy?: boolean }).isSpdy === true;
}

export function mayHaveBody(req: IncomingMessage): boolean {
  // HTTP/2 frames a body without either header.
  if (isHttp2(req)) return true;
  const { headers } = req;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** A body that is not there whole in time is answered 408 as Node does it, whoever is reading it. */
export function closeSlowBody(req: IncomingMessage, res: ServerResponse, withinMs: number): void {
  const timer = setTimeout(() => {
    if (isHttp2(req)) closeStream(res);
    else closeConnection(req);
  }, withinMs).unref();
  const settle = (): void => clearTimeout(timer);
  req.once('end', settle).once('close', settle);
}

function closeConnection({ socket }: IncomingMessage): void {
  socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  socket.destroySoon();
}

/** Over HTTP/2 the connection is not this request's alone; its stream is reset soon after it is answered. */
function closeStream(res: ServerResponse): void {
  if (res.headersSent) return;
  res.writeHead(408, { 'Content-Length': '0' });
  res.end();
}
