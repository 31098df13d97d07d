import '@fastify/cookie';
import { SIGN_IN_COOKIE } from '@svc/contract';
import type { ClientFacts } from '@svc/webdriver-gate';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sets and clears the dashboard's cookie: `HttpOnly`, `SameSite=Strict`, and `Secure` over HTTPS (specification 2,
 * Dashboard sign-in). Whenever the server extends a sign-in, it also renews the browser's cookie.
 */
export class SignInCookie {
  readonly #clients: ClientFacts;

  constructor(clients: ClientFacts) {
    this.#clients = clients;
  }

  set(request: FastifyRequest, reply: FastifyReply, value: string, lifetimeMs: number): void {
    const maxAge = Math.max(1, Math.ceil(lifetimeMs / 1000));
    reply.header(
      'set-cookie',
      request.server.serializeCookie(SIGN_IN_COOKIE, value, { ...this.#attributes(request), maxAge }),
    );
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    reply.header(
      'set-cookie',
      request.server.serializeCookie(SIGN_IN_COOKIE, '', {
        ...this.#attributes(request),
        maxAge: 0,
        expires: new Date(0),
      }),
    );
  }

  #attributes(request: FastifyRequest) {
    return {
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: this.#clients.isHttps(request.raw),
    } as const;
  }
}
