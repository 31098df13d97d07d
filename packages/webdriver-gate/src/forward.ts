import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Caller, type CommandHeaders, secretHash } from '@svc/auth-core';
import { HEADERS, SENSITIVE_HEADERS } from '@svc/contract';
import type { Admission, Reservation } from '@svc/device-lab';
import { mayHaveBody } from './body.ts';
import type { GateOrigin } from './request-origin.ts';
import type { Target } from './target.ts';

/** Information that the gate attaches to a request. The hooks of the Appium plugin read it. */
export type GateContext =
  | {
      readonly kind: 'create';
      readonly admission: Admission;
      readonly from: GateOrigin;
      /** Reservation of a device of this server. Absent if the plugin reserves the device later. */
      readonly reservation?: Reservation;
      /** Aborted when the client has disconnected. */
      readonly gone?: AbortSignal;
    }
  /** Request for the session list. `caller` is null if the request has no valid credentials. */
  | { readonly kind: 'listing'; readonly caller: Caller | null }
  /** Create-session request of the start-up check, which must not become a session. */
  | { readonly kind: 'probe' };

/** Receives the requests and upgrades that have passed the gate's checks. */
export interface Upstream {
  request(req: IncomingMessage, res: ServerResponse, context?: GateContext): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** A target that the gate forwards, which is any target that it does not refuse. */
export type PassedTarget = Exclude<Target, { kind: 'refused' }>;

const PASSED = Symbol('svc.passed');
const CALLER = Symbol('svc.caller');
type Marked = IncomingMessage & { [PASSED]?: Target; [CALLER]?: Caller | 'hub' | null };

/**
 * Marks a request with the target for which the gate let it through. A second check inside Appium's router compares
 * this target with the path as Express reads it, and refuses the request if they differ. `caller` is null if callers
 * are not checked.
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

/** @returns the sender whom the gate found when it checked the request, or null if the sender was not checked */
export function authorizedCaller(req: IncomingMessage): Caller | 'hub' | null {
  return (req as Marked)[CALLER] ?? null;
}

const MEANS_YES = /(?:^|,)\s*(?:true|1|yes)\s*(?:,|$)/i;

/**
 * Returns whether the sender marked the body as sensitive, with the header of this service or with Appium's own header.
 * Such a body is not logged (contract 1).
 */
export function isMarkedSensitive({ headers }: IncomingMessage): boolean {
  const own = headers[SENSITIVE_HEADERS.own];
  const appium = headers[SENSITIVE_HEADERS.appium];
  if (own === undefined && appium === undefined) return false;
  return MEANS_YES.test(String(own)) || MEANS_YES.test(String(appium));
}

/**
 * Marks the body as sensitive, so that Appium does not log it. Appium logs the body of every request, even if no route
 * exists for it.
 */
export function hideBody(req: IncomingMessage): void {
  req.headers[SENSITIVE_HEADERS.appium] = 'true';
}

const IDEMPOTENCY_KEY = 'x-idempotency-key';

/** Forwards requests and upgrades that have passed the checks, without their credentials. */
export class Forwarding {
  readonly #upstream: Upstream;
  readonly #commandHeaders: CommandHeaders;

  constructor(upstream: Upstream, commandHeaders: CommandHeaders) {
    this.#upstream = upstream;
    this.#commandHeaders = commandHeaders;
  }

  /**
   * Forwards a request. `caller` is the sender, `hub` if the hub has checked the request, or null if the sender is not
   * known.
   */
  request(
    req: IncomingMessage,
    res: ServerResponse,
    target: PassedTarget,
    caller: Caller | 'hub' | null,
    context?: GateContext,
  ): void {
    this.prepare(req, target.url);
    if (req.headers[IDEMPOTENCY_KEY] !== undefined)
      bindIdempotencyKey(req, caller === 'hub' ? caller : caller?.account.id);
    markAuthorized(req, target, caller);
    this.#upstream.request(req, res, context);
  }

  /**
   * Forwards a request whose sender is not checked. The sender's account is unknown, so an idempotency key is combined
   * with the credentials in the request instead.
   */
  unchecked(req: IncomingMessage, res: ServerResponse, target: PassedTarget): void {
    if (req.headers[IDEMPOTENCY_KEY] !== undefined) {
      bindIdempotencyKey(req, this.#commandHeaders.textOf(req.headers));
    }
    this.prepare(req, target.url);
    markAuthorized(req, target);
    this.#upstream.request(req, res);
  }

  /** Forwards a request that needs no credentials, and keeps its body out of the log. */
  unread(req: IncomingMessage, res: ServerResponse, target: PassedTarget): void {
    if (mayHaveBody(req)) hideBody(req);
    this.unchecked(req, res, target);
  }

  /** Forwards an upgrade that Node delivered as a request. */
  disguisedUpgrade(req: IncomingMessage, res: ServerResponse, url: string): void {
    this.prepare(req, url);
    this.#upstream.request(req, res);
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, url: string): void {
    this.prepare(req, url);
    this.#upstream.upgrade(req, socket, head);
  }

  /**
   * Removes the credentials from the headers. If the sender marked the body as sensitive, with the header of this
   * service or with Appium's, sets Appium's header, so that Appium does not log the body (contract 1).
   */
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
 * Replaces an idempotency key by a hash of the key and its caller, or removes the key if there is no caller (contract
 * 7). Otherwise Appium would send the stored response to any client that sends the same key.
 */
function bindIdempotencyKey(req: IncomingMessage, caller: string | undefined): void {
  const bound = boundIdempotencyKey(req, caller);
  if (bound === undefined) delete req.headers[IDEMPOTENCY_KEY];
  else req.headers[IDEMPOTENCY_KEY] = bound;
}

/** @returns a hash of the idempotency key and the caller, or undefined if the request has no key or no caller */
export function boundIdempotencyKey(
  { headers }: IncomingMessage,
  caller: string | undefined,
): string | undefined {
  const key = headers[IDEMPOTENCY_KEY];
  return key === undefined || key === '' || caller === undefined
    ? undefined
    : secretHash(`${caller} ${String(key)}`);
}
