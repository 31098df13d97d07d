import '@fastify/cookie';
import { SIGN_IN_COOKIE } from '@svc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { ClientFacts } from '../client-address.ts';

const REMEMBERED = 50_000;
const LONGEST_REFRESH_MS = 60_000;

/**
 * The dashboard cookie as the browser sees it: `HttpOnly`, `SameSite=Strict`, `Secure` over HTTPS (specification 2,
 * Dashboard sign-in). The server's record slides with every request; the browser's copy is renewed when it has
 * moved noticeably, not on every answer.
 */
export class SignInCookie {
  readonly #clients: ClientFacts;
  readonly #renewed = new LRUCache<string, number>({ max: REMEMBERED });

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

  /** Sends the cookie again when the browser's copy is behind. */
  renew(
    request: FastifyRequest,
    reply: FastifyReply,
    signIn: { id: string; value: string; lifetimeMs: number; now: number },
  ): void {
    const before = this.#renewed.get(signIn.id);
    if (before !== undefined && signIn.now - before < Math.min(LONGEST_REFRESH_MS, signIn.lifetimeMs / 10))
      return;
    this.#renewed.set(signIn.id, signIn.now);
    this.set(request, reply, signIn.value, signIn.lifetimeMs);
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
