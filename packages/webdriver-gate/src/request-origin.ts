import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from '@svc/auth-core';
import { HEADERS, REQUEST_ID } from '@svc/contract';

/** Where a WebDriver request came from. */
export interface GateOrigin extends RequestOrigin {
  readonly address: string;
  /** The sender's own id when it is harmless in a log, else a new one (contract 7). */
  readonly requestId: string;
  /** The socket's own address: unlike a forwarded one, no sender can invent it. */
  readonly peer: string;
  readonly sender: string;
}

export type OriginOf = (req: IncomingMessage) => GateOrigin;

/**
 * `addressOf`: the client's address as the service counts it. `isVerified`: nobody can invent it, as trusted proxies
 * tell it.
 */
export function originsBy(addressOf: (req: IncomingMessage) => string, isVerified = false): OriginOf {
  return (req) => new LazyGateOrigin(req, addressOf, isVerified);
}

/** Computed on demand: a command of a known caller writes no audit row. */
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

  get requestId(): string {
    this.#requestId ??= requestIdOf(this.#req);
    return this.#requestId;
  }
}

/** An IPv4 address is the same whether it came through an IPv6 socket or not. */
function peerOf({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string {
  if (remoteAddress === undefined) return 'unknown';
  return remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.')
    ? remoteAddress.slice('::ffff:'.length)
    : remoteAddress;
}

/** Of the sender when it is harmless in a log, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[HEADERS.requestId];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
