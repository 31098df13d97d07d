import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Caller, type CommandHeaders, secretHash } from '@svc/auth-core';
import { HEADERS, SENSITIVE_HEADERS } from '@svc/contract';
import type { Admission, Reservation } from '@svc/device-lab';
import { mayHaveBody } from './body.ts';
import type { GateOrigin } from './request-origin.ts';
import type { Target } from './target.ts';

/** What travels with a request to the hooks behind the automation server's routes. */
export type GateContext =
  | {
      readonly kind: 'create';
      readonly admission: Admission;
      readonly from: GateOrigin;
      /** Of a device of this server; absent: none is reserved yet. */
      readonly reservation?: Reservation;
    }
  /** Null: a list asked for without valid credentials. */
  | { readonly kind: 'listing'; readonly caller: Caller | null }
  /** The start-up check's own create, which must not become a session. */
  | { readonly kind: 'probe' };

/** What the gate forwards to. */
export interface Upstream {
  request(req: IncomingMessage, res: ServerResponse, context?: GateContext): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What may be handed on. */
export type PassedTarget = Exclude<Target, { kind: 'refused' }>;

const PASSED = Symbol('svc.passed');
const CALLER = Symbol('svc.caller');
type Marked = IncomingMessage & { [PASSED]?: Target; [CALLER]?: Caller | 'hub' | null };

/**
 * Notes on the request what it was let through as; the tripwire behind the gate compares. `caller` is null where
 * callers are not checked.
 */
export function markAuthorized(
  req: IncomingMessage,
  target: Target,
  caller: Caller | 'hub' | null = null,
): void {
  (req as Marked)[PASSED] = target;
  (req as Marked)[CALLER] = caller;
}

export function authorizedAs(req: IncomingMessage): Target | undefined {
  return (req as Marked)[PASSED];
}

/** The caller that the check let the request through for; null if there was no check. */
export function authorizedCaller(req: IncomingMessage): Caller | 'hub' | null {
  return (req as Marked)[CALLER] ?? null;
}

const SAYS_YES = /(?:^|,)\s*(?:true|1|yes)\s*(?:,|$)/i;

/** The sender asks that the body be kept out of the log, in either spelling (contract 1). */
export function isMarkedSensitive({ headers }: IncomingMessage): boolean {
  const ours = headers[SENSITIVE_HEADERS.own];
  const appiums = headers[SENSITIVE_HEADERS.appium];
  if (ours === undefined && appiums === undefined) return false;
  return SAYS_YES.test(String(ours)) || SAYS_YES.test(String(appiums));
}

/** Appium logs a request before it routes it; the body of an unknown route must not be logged. */
export function hideBody(req: IncomingMessage): void {
  req.headers[SENSITIVE_HEADERS.appium] = 'true';
}

const IDEMPOTENCY_KEY = 'x-idempotency-key';

/** How requests and upgrades that are let through are handed on. Their credentials end here. */
export class Forwarding {
  readonly #upstream: Upstream;
  readonly #commandHeaders: CommandHeaders;

  constructor(upstream: Upstream, commandHeaders: CommandHeaders) {
    this.#upstream = upstream;
    this.#commandHeaders = commandHeaders;
  }

  /** `caller`: whose request it is; `hub`: the hub's, which knows; null: nobody's. */
  request(
    req: IncomingMessage,
    res: ServerResponse,
    target: PassedTarget,
    caller: Caller | 'hub' | null,
    context?: GateContext,
  ): void {
    this.prepare(req, target.url);
    bindIdempotencyKey(req, caller === 'hub' ? caller : caller?.account.id);
    markAuthorized(req, target, caller);
    this.#upstream.request(req, res, context);
  }

  /** Where callers are not looked at, requests with the same credentials count as one caller's, one without as nobody's. */
  unproven(req: IncomingMessage, res: ServerResponse, target: PassedTarget): void {
    if (req.headers[IDEMPOTENCY_KEY] !== undefined) {
      bindIdempotencyKey(req, this.#commandHeaders.textOf(req.headers));
    }
    this.prepare(req, target.url);
    markAuthorized(req, target);
    this.#upstream.request(req, res);
  }

  /** Forwards a request that any client may send, with its body kept out of the log. */
  unread(req: IncomingMessage, res: ServerResponse, target: PassedTarget): void {
    if (mayHaveBody(req)) hideBody(req);
    this.unproven(req, res, target);
  }

  /** An upgrade that arrived as a request. */
  disguisedUpgrade(req: IncomingMessage, res: ServerResponse, url: string): void {
    this.prepare(req, url);
    this.#upstream.request(req, res);
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, url: string): void {
    this.prepare(req, url);
    this.#upstream.upgrade(req, socket, head);
  }

  /** Both spellings of the sensitive marker have the effect of Appium's own (contract 1). */
  prepare(req: IncomingMessage, url: string): void {
    if (req.url !== url) req.url = url;
    if (isMarkedSensitive(req)) req.headers[SENSITIVE_HEADERS.appium] = 'true';
    const kept = this.#commandHeaders.without(req.headers);
    if (kept !== req.headers) req.headers = kept;
    if (kept[HEADERS.hubToken] !== undefined) {
      const { [HEADERS.hubToken]: _, ...others } = kept;
      req.headers = others;
    }
  }
}

/**
 * Appium replays a response to anyone who sends the same key, process-wide. The key is bound to its caller, so that no
 * one gets another caller's response; without a caller it is removed (contract 7).
 */
function bindIdempotencyKey(req: IncomingMessage, caller: string | undefined): void {
  if (req.headers[IDEMPOTENCY_KEY] === undefined) return;
  const bound = boundIdempotencyKey(req, caller);
  if (bound === undefined) delete req.headers[IDEMPOTENCY_KEY];
  else req.headers[IDEMPOTENCY_KEY] = bound;
}

/** Undefined: there is none, or it is nobody's. */
export function boundIdempotencyKey(
  { headers }: IncomingMessage,
  caller: string | undefined,
): string | undefined {
  const key = headers[IDEMPOTENCY_KEY];
  return key === undefined || key === '' || caller === undefined
    ? undefined
    : secretHash(`${caller} ${String(key)}`);
}
