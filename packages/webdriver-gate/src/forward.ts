import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { bearerOf, type Caller, secretHash } from '@svc/auth-core';
import { HEADERS, SENSITIVE_HEADERS } from '@svc/contract';
import type { Admission } from '@svc/device-lab';
import type { GateOrigin } from './request-origin.ts';
import type { Target } from './target.ts';

/** What travels with a request to the hooks behind the automation server's routes. */
export type GateContext =
  | { readonly kind: 'create'; readonly admission: Admission; readonly from: GateOrigin }
  /** Null: a list asked for without valid credentials. */
  | { readonly kind: 'listing'; readonly caller: Caller | null }
  /** The start-up check's own create, which must not become a session. */
  | { readonly kind: 'probe' };

/** What the gate forwards to. */
export interface Upstream {
  request(req: IncomingMessage, res: ServerResponse, context?: GateContext): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const PASSED = Symbol('svc.passed');
type Marked = IncomingMessage & { [PASSED]?: Target };

/** Notes on the request what it was let through as; the tripwire behind the gate compares. */
export function markAuthorized(req: IncomingMessage, target: Target): void {
  (req as Marked)[PASSED] = target;
}

export function authorizedAs(req: IncomingMessage): Target | undefined {
  return (req as Marked)[PASSED];
}

const [OURS, APPIUMS] = SENSITIVE_HEADERS;
const SAYS_YES = /(?:^|,)\s*(?:true|1|yes)\s*(?:,|$)/i;

/** The sender asks that the body be kept out of the log, in either spelling (contract 1). */
export function isMarkedSensitive({ headers }: IncomingMessage): boolean {
  const ours = headers[OURS];
  const appiums = headers[APPIUMS];
  if (ours === undefined && appiums === undefined) return false;
  return SAYS_YES.test(String(ours)) || SAYS_YES.test(String(appiums));
}

/**
 * Prepares a request for forwarding: both spellings of the sensitive marker have the effect of Appium's own
 * (contract 1), and the caller's credentials end here.
 */
export function prepare(req: IncomingMessage, url: string): void {
  if (req.url !== url) req.url = url;
  const { headers } = req;
  if (isMarkedSensitive(req)) headers[APPIUMS] = 'true';
  if (!carriesCredential(headers)) return;
  // A copy without them, since an object something was deleted from is slow for all who read it afterwards.
  const kept: IncomingMessage['headers'] = {};
  for (const name in headers) if (!isCredential(name, headers)) kept[name] = headers[name];
  req.headers = kept;
}

function carriesCredential(headers: IncomingMessage['headers']): boolean {
  return (
    headers[HEADERS.accessKey] !== undefined ||
    headers[HEADERS.token] !== undefined ||
    bearerOf(headers.authorization) !== undefined
  );
}

function isCredential(name: string, { authorization }: IncomingMessage['headers']): boolean {
  if (name === 'authorization') return bearerOf(authorization) !== undefined;
  return name === HEADERS.accessKey || name === HEADERS.token;
}

/** Appium logs a request before it routes it; the body of an unknown route must not be logged. */
export function hideBody(req: IncomingMessage): void {
  req.headers[APPIUMS] = 'true';
}

const IDEMPOTENCY_KEY = 'x-idempotency-key';

/**
 * Appium replays a response to anyone who sends the same key, process-wide. The key is bound to its caller, so that no
 * one gets another caller's response; without a caller it is removed (contract 7).
 */
export function ownIdempotencyKey(req: IncomingMessage, caller: Caller | null): void {
  const key = req.headers[IDEMPOTENCY_KEY];
  if (key === undefined) return;
  if (caller === null) delete req.headers[IDEMPOTENCY_KEY];
  else req.headers[IDEMPOTENCY_KEY] = secretHash(`${caller.account.id} ${String(key)}`);
}

/**
 * Where commands are not checked, requests with the same credentials count as one caller, and one without as none. Call
 * before the credentials are removed.
 */
export function unprovenIdempotencyKey(req: IncomingMessage): void {
  const key = req.headers[IDEMPOTENCY_KEY];
  if (key === undefined) return;
  const { headers } = req;
  if (!carriesCredential(headers)) delete headers[IDEMPOTENCY_KEY];
  else {
    const presented = [headers[HEADERS.accessKey], headers[HEADERS.token], bearerOf(headers.authorization)];
    headers[IDEMPOTENCY_KEY] = secretHash(JSON.stringify([presented, key]));
  }
}
