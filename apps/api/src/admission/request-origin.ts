import type { RequestOrigin } from '@svc/auth-core';
import type { FastifyRequest } from 'fastify';
import type { ClientFacts } from '../clients/client-address.ts';

/**
 * Origin of a request, such as the client's address. It is computed only when it is read, because most requests write
 * no audit row.
 */
export class LazyRequestOrigin implements RequestOrigin {
  readonly #request: FastifyRequest;
  readonly #clients: ClientFacts;
  readonly via: 'mcp' | null;

  constructor(request: FastifyRequest, clients: ClientFacts, via: 'mcp' | null) {
    this.#request = request;
    this.#clients = clients;
    this.via = via;
  }

  get address(): string {
    return this.#clients.addressOf(this.#request.raw);
  }

  get peer(): string {
    return this.#clients.peerOf(this.#request.raw);
  }

  get sender(): string {
    return this.#clients.senderOf(this.#request.raw);
  }

  get requestId(): string {
    return this.#request.id;
  }
}
