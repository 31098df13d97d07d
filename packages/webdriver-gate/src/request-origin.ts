import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from '@svc/auth-core';
import { HEADERS, REQUEST_ID } from '@svc/contract';
import { isInner } from './inner-requests.ts';

/** Where a WebDriver request came from, for checks and log lines. */
export interface GateOrigin extends RequestOrigin {
  readonly address: string;
  /**
   * The request id in the sender's header. A new id if the header is missing or its value is not safe to log (contract
   * 7).
   */
  readonly requestId: string;
  /**
   * The address of the socket. In contrast to an address that a proxy reports in a header, a sender cannot forge it.
   */
  readonly peer: string;
  readonly sender: string;
}

export type OriginOf = (req: IncomingMessage) => GateOrigin;

const ATTACHED = Symbol('svc.attached');
type Marked = IncomingMessage & { [ATTACHED]?: true };

/** Marks a request that was sent to an attach address, for the audit trail and the command log (contract 15.4). */
export function markAttached(req: IncomingMessage): void {
  (req as Marked)[ATTACHED] = true;
}

export function isAttached(req: IncomingMessage): boolean {
  return (req as Marked)[ATTACHED] === true;
}

/**
 * Returns a function that describes where a request came from.
 * @param addressOf returns the client's address: the address of the socket, or the one that a proxy reports
 * @param isVerified whether only trusted proxies can report an address, so that a client cannot forge it
 */
export function originsBy(addressOf: (req: IncomingMessage) => string, isVerified = false): OriginOf {
  return (req) => new LazyGateOrigin(req, addressOf, isVerified);
}

/** Computes each field on demand, because most commands need none of them. */
class LazyGateOrigin implements GateOrigin {
  readonly #req: IncomingMessage;
  readonly #addressOf: (req: IncomingMessage) => string;
  readonly #isVerified: boolean;
  #requestId: string | undefined;

  constructor(req: IncomingMessage, addressOf: (req: IncomingMessage) => string, isVerified: boolean) {
    this.#req = req;
    this.#addressOf = addressOf;
    this.#isVerified = isVerified;
  }

  get address(): string {
    return this.#addressOf(this.#req);
  }

  get peer(): string {
    return peerOf(this.#req.socket);
  }

  get sender(): string {
    return this.#isVerified ? this.address : this.peer;
  }

  get via(): 'mcp' | 'attach' | null {
    if (isAttached(this.#req)) return 'attach';
    return isInner(this.#req.socket) ? 'mcp' : null;
  }

  get requestId(): string {
    this.#requestId ??= requestIdOf(this.#req);
    return this.#requestId;
  }
}

/** @returns the address of the socket. An IPv4 address in IPv6 form (`::ffff:1.2.3.4`) is converted to IPv4. */
function peerOf({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string {
  if (remoteAddress === undefined) return 'unknown';
  return remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.')
    ? remoteAddress.slice('::ffff:'.length)
    : remoteAddress;
}

/**
 * @returns the request id in the sender's header, or a new id if the header is missing or its value is not safe to log
 */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[HEADERS.requestId];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
