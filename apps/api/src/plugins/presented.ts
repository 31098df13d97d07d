import type { HeaderValues, PresentedCredentials } from '@svc/auth-core';
import { SIGN_IN_COOKIE } from '@svc/contract';
import type { FastifyRequest } from 'fastify';

/** What a request of the API presents. The cookie is read when it is asked for: a stronger credential needs none. */
export class PresentedByRequest implements PresentedCredentials {
  readonly headers: HeaderValues;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.headers = request.headers;
    this.#request = request;
  }

  /** The first of that name; we set no attribute that would let a second one stand before it. */
  get cookie(): string | undefined {
    const { cookie } = this.headers;
    if (typeof cookie !== 'string' || !cookie.includes(SIGN_IN_COOKIE)) return undefined;
    return this.#request.server.parseCookie(cookie)[SIGN_IN_COOKIE];
  }
}
