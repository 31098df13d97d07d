import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from '@svc/auth-core';
import { HEADERS, REQUEST_ID } from '@svc/contract';
import type { ClientFacts } from './client-facts.ts';

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

/** Sockets on which this process sends requests to its own server for a client of another protocol, such as MCP. */
const INNER = new WeakSet<object>();

export function markInner(socket: object): void {
  INNER.add(socket);
}

/** Returns a function that describes where a WebDriver request came from. */
export function originsBy(clients: ClientFacts): OriginOf {
  return (req) => new LazyOrigin(req, clients);
}

/**
 * Where a request to the gate or to the API came from. Computes each field on demand, because most requests need none
 * of them.
 */
export class LazyOrigin implements GateOrigin {
  readonly #req: IncomingMessage;
  readonly #clients: ClientFacts;
  readonly #isAgent: boolean;
  #requestId: string | undefined;

  /**
   * @param requestId id that the request has already; if absent, `requestIdOf` gives it one
   * @param isAgent whether an agent sent the request to the MCP server
   */
  constructor(req: IncomingMessage, clients: ClientFacts, requestId?: string, isAgent = false) {
    this.#req = req;
    this.#clients = clients;
    this.#requestId = requestId;
    this.#isAgent = isAgent;
  }

  get address(): string {
    return this.#clients.addressOf(this.#req);
  }

  get peer(): string {
    return this.#clients.peerOf(this.#req);
  }

  get sender(): string {
    return this.#clients.senderOf(this.#req);
  }

  get via(): 'mcp' | 'attach' | null {
    if (isAttached(this.#req)) return 'attach';
    return this.#isAgent || INNER.has(this.#req.socket) ? 'mcp' : null;
  }

  get requestId(): string {
    this.#requestId ??= requestIdOf(this.#req);
    return this.#requestId;
  }
}

/**
 * @returns the request id in the sender's header, or a new id if the header is missing or its value is not safe to log
 * (contract 1, 7)
 */
export function requestIdOf({ headers }: IncomingMessage, newId: () => string = randomUUID): string {
  const given = headers[HEADERS.requestId];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId();
}
