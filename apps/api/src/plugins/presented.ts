import type { HeaderValues, PresentedCredentials } from '@svc/auth-core';
import { SIGN_IN_COOKIE } from '@svc/contract';
import type { FastifyRequest } from 'fastify';

/**
 * Credentials that a request to the API contains. The cookie is parsed only if it is read, because a stronger
 * credential has priority and makes the cookie irrelevant.
 */
export class PresentedByRequest implements PresentedCredentials {
  readonly headers: HeaderValues;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.headers = request.headers;
    this.#request = request;
  }

  /**
   * @returns the value of the sign-in cookie, or undefined if it is missing or if several cookies of its name have
   * different values. Such a second cookie can be set by another service on this host for a longer path. Browsers send
   * that cookie first, and it must not decide who is signed in.
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
