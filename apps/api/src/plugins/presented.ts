import type { HeaderValues, PresentedCredentials } from '@svc/auth-core';
import { SIGN_IN_COOKIE } from '@svc/contract';
import type { FastifyRequest } from 'fastify';

/**
 * The credentials of a request to the API. The cookie is parsed only when it is needed, because a stronger credential
 * has priority.
 */
export class PresentedByRequest implements PresentedCredentials {
  readonly headers: HeaderValues;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.headers = request.headers;
    this.#request = request;
  }

  /**
   * @returns undefined also if there are several cookies of that name with different values. Another service on this
   * host can set one for a longer path, which browsers send first, and must not decide who is signed in.
   */
  get cookie(): string | undefined {
    const { cookie } = this.headers;
    if (typeof cookie !== 'string' || !cookie.includes(SIGN_IN_COOKIE)) return undefined;
    const { server } = this.#request;
    let found: string | undefined;
    for (const part of cookie.split(';')) {
      const value = part.includes(SIGN_IN_COOKIE) ? server.parseCookie(part)[SIGN_IN_COOKIE] : undefined;
      if (value === undefined) continue;
      if (found !== undefined && found !== value) return undefined;
      found = value;
    }
    return found;
  }
}
