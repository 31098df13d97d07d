import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '@svc/auth-core';
import { HEADERS, UNKNOWN_SESSION_BODY } from '@svc/contract';
import { isHttp2 } from './body.ts';
import type { UpgradeRefusal } from './upgrade-socket.ts';

/**
 * Error that is sent to the client as a WebDriver error. Because of the properties `error` and `w3cStatus`, Appium
 * sends it unchanged when a hook throws it. The stack is empty, so that the client gets only the message.
 */
export class WebDriverError extends Error {
  readonly error: string;
  readonly w3cStatus: number;
  readonly stacktrace = '';

  constructor(w3cStatus: number, error: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WebDriverError';
    this.w3cStatus = w3cStatus;
    this.error = error;
    this.stack = '';
  }
}

/**
 * Error for a create-session request whose credentials are missing, invalid or insufficient. The client gets `message`,
 * but not `reason`, which is for operators.
 */
export class AccessDenied extends WebDriverError {
  readonly #reason: string;
  readonly #caller: Caller | null;

  /** Creates the error. `reason` is for operators only, and `caller` is null for an unauthenticated client. */
  constructor(message: string, reason: string, caller: Caller | null) {
    super(400, 'invalid argument', message);
    this.#reason = reason;
    this.#caller = caller;
  }

  get reason(): string {
    return this.#reason;
  }

  get caller(): Caller | null {
    return this.#caller;
  }
}

/**
 * Error for a create-session request that is refused because the bodies of such requests already take all the memory
 * that they may take (contract 5).
 */
export class TooManyCreates extends WebDriverError {
  readonly retryAfterSec: number;

  constructor(retryAfterSec: number) {
    super(
      503,
      'session not created',
      'too many create-session requests are arriving at the same time, try again',
    );
    this.retryAfterSec = retryAfterSec;
  }
}

/** Error for a create-session request that no phone fits (contract 14.3). The client gets only `message`. */
export class NoPhoneFits extends WebDriverError {
  readonly #detail: string;

  /** Creates the error. `detail` says of each phone why it does not fit, and is for Admins only. */
  constructor({ message, detail }: { message: string; detail: string }) {
    super(500, 'session not created', message);
    this.#detail = detail;
  }

  get detail(): string {
    return this.#detail;
  }
}

/** Error for a session that was ended because its driver took another phone (contract 14.2). */
export class WrongPhoneTaken extends WebDriverError {
  /** Udid of the reserved phone, and of the phone that the driver named. The client gets neither. */
  readonly reserved: string;
  readonly taken: string;

  constructor({ message, reserved, taken }: { message: string; reserved: string; taken: string }) {
    super(500, 'session not created', message);
    this.reserved = reserved;
    this.taken = taken;
  }
}

export function invalidArgument(message: string): WebDriverError {
  return new WebDriverError(400, 'invalid argument', message);
}

export function notCreated(message: string, status = 500): WebDriverError {
  return new WebDriverError(status, 'session not created', message);
}

/** Error for a request that is not forwarded because the check could not run (specification 5.7.5). */
export const UNVERIFIED = new WebDriverError(
  503,
  'unknown error',
  'access to the session could not be verified, try the service again',
);

/** Error for a request without valid credentials to a route outside sessions, such as a route that a plugin adds. */
export const UNAUTHENTICATED = new WebDriverError(
  401,
  'unknown error',
  'unauthenticated: send x-svc-access-key and x-svc-token, or Authorization: Bearer with a token of this service',
);

/**
 * Headers that Appium adds to every response. Refusals have these headers too, so that they look like Appium's
 * responses (contract 7).
 */
const COMMON = { 'X-Powered-By': 'Express' };
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, OPTIONS, DELETE',
  'Access-Control-Allow-Headers':
    'Cache-Control, Pragma, Origin, X-Requested-With, Content-Type, Accept, User-Agent',
};
const BODY_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const VARIES = { Vary: 'X-HTTP-Method-Override' };
const CLOSES = { Connection: 'close' };
const BARE = { ...CLOSES, 'Content-Length': '0' };

const UNKNOWN_SESSION_TAG = entityTag(UNKNOWN_SESSION_BODY);

/** Sends the responses to requests that are not forwarded to the automation server. */
export class GateResponses {
  readonly #common: OutgoingHttpHeaders;

  /** @param cors whether Appium runs with `--allow-cors`, so that all responses need its CORS headers */
  constructor(cors: boolean) {
    this.#common = cors ? { ...COMMON, ...CORS } : COMMON;
  }

  /**
   * Sends exactly the response that Appium sends for an unknown session. A client therefore cannot tell a refused
   * command from an unknown session (contract 7).
   */
  unknownSession(req: IncomingMessage, res: ServerResponse, requestId: string): void {
    res.setHeader(HEADERS.requestId, requestId);
    this.#write(req, res, 404, UNKNOWN_SESSION_BODY, UNKNOWN_SESSION_TAG);
  }

  error(req: IncomingMessage, res: ServerResponse, error: WebDriverError, requestId: string): void {
    res.setHeader(HEADERS.requestId, requestId);
    if (error instanceof TooManyCreates) res.setHeader('Retry-After', String(error.retryAfterSec));
    const body = JSON.stringify({
      value: { error: error.error, message: error.message, stacktrace: '' },
    });
    this.#write(req, res, error.w3cStatus, body, entityTag(body));
  }

  /** Sends `value` in the format in which the automation server sends the result of a command. */
  value(req: IncomingMessage, res: ServerResponse, value: unknown, requestId: string): void {
    res.setHeader(HEADERS.requestId, requestId);
    const body = JSON.stringify({ value });
    this.#write(req, res, 200, body, entityTag(body));
  }

  /**
   * Sends the response to a create-session request in the format of the automation server. `body` is the response as
   * JSON.
   */
  created(res: ServerResponse, body: string): void {
    answer(
      res,
      200,
      {
        ...this.#common,
        ...BODY_TYPE,
        'Cache-Control': 'no-store',
        'Content-Length': Buffer.byteLength(body),
        ETag: entityTag(body),
      },
      body,
    );
  }

  /** Refuses a request target that only an attacker would send, such as one with control characters (contract 7). */
  badTarget(res: ServerResponse, requestId: string): void {
    refuseTarget(res, requestId);
  }

  /**
   * Refuses an upgrade that arrived as a request, with a status and no body, and closes the connection (specification
   * 5.7.7).
   */
  bare(res: ServerResponse, status: UpgradeRefusal): void {
    answer(res, status, BARE);
  }

  #write(req: IncomingMessage, res: ServerResponse, status: number, body: string, tag: string): void {
    answer(
      res,
      status,
      {
        ...this.#common,
        ...(req.method === 'POST' ? VARIES : {}),
        ...BODY_TYPE,
        'Content-Length': String(Buffer.byteLength(body)),
        ETag: tag,
        // Close the connection, because the client may still be sending a body that is too large or too slow.
        ...(status === 413 || status === 408 ? CLOSES : {}),
      },
      body,
      status === 413 && !isHttp2(req) ? (all) => endAfterBody(req, res, all) : undefined,
    );
  }
}

/** Adds the CORS headers that Appium sends with `--allow-cors` to a response from another server. */
export function allowCors(res: ServerResponse): void {
  for (const [name, value] of Object.entries(CORS)) res.setHeader(name, value);
}

/** Refuses a request target that only an attacker would send, such as one with control characters (contract 7). */
export function refuseTarget(res: ServerResponse, requestId: string): void {
  res.setHeader(HEADERS.requestId, requestId);
  answer(res, 400, BARE);
}

/**
 * Sends a response. The headers are passed as an object and the body in a second call, because `writeHead` of spdy,
 * Appium's HTTP/2 library, supports no other form.
 */
function answer(
  res: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body?: string,
  end: (body?: string) => void = (all) => res.end(all),
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, headers);
  end(body);
}

/**
 * Limits on discarding the rest of a body that is too large, in bytes and milliseconds. A smaller chunk counts as
 * `CHUNK_BYTES`, so that many tiny chunks also reach the limit.
 */
const LINGER_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256;
const LINGER_MS = 2_000;

/**
 * Sends the whole response, and closes the connection only after it has read and discarded the rest of the request. If
 * a connection is closed with unread data, the kernel resets it, and a client that is still sending might never see the
 * response.
 */
function endAfterBody(req: IncomingMessage, res: ServerResponse, body = ''): void {
  let left = LINGER_BYTES;
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  const discard = ({ length }: Buffer): void => {
    left -= Math.max(length, CHUNK_BYTES);
    if (left < 0) end();
  };
  res.write(body);
  req.on('data', discard).once('end', end).once('close', end);
  if (req.readableEnded) end();
}

/** @returns the ETag that Express would send for this body */
function entityTag(body: string): string {
  const hash = createHash('sha1').update(body).digest('base64').slice(0, 27);
  return `W/"${Buffer.byteLength(body).toString(16)}-${hash}"`;
}
