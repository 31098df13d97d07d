import '@fastify/cookie';
import { API_PREFIX, OIDC_COOKIES } from '@svc/contract';
import type { ClientFacts } from '@svc/webdriver-gate';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Name = keyof typeof OIDC_COOKIES;

const LIFETIME_SECONDS = 600;

/**
 * Attributes of the two OIDC cookies. The transaction cookie identifies a running sign-in through the provider. It is
 * `Lax`, because the provider redirects the browser back from another site. The link cookie identifies a person whose
 * account must still be linked to the provider. It is `Strict`, because only the dashboard's own pages send the
 * password sign-in that needs it.
 */
const ATTRIBUTES = {
  transaction: { path: `${API_PREFIX}/auth/oidc`, sameSite: 'lax' },
  link: { path: `${API_PREFIX}/auth/login`, sameSite: 'strict' },
} as const;

/** Reads, sets and clears the cookies of a sign-in through an OpenID provider (contract 10.1). */
export class OidcCookies {
  readonly #clients: ClientFacts;

  constructor(clients: ClientFacts) {
    this.#clients = clients;
  }

  /** @returns the value of the cookie, or undefined if the request has no cookie of this name or has several */
  read({ headers, server }: FastifyRequest, name: Name): string | undefined {
    const { cookie = '' } = headers;
    const cookieName = OIDC_COOKIES[name];
    if (!cookie.includes(cookieName)) return undefined;
    const values = cookie.split(';').flatMap((part) => server.parseCookie(part)[cookieName] ?? []);
    return values.length === 1 ? values[0] : undefined;
  }

  set(request: FastifyRequest, reply: FastifyReply, name: Name, value: string): void {
    this.#send(request, reply, name, { value, maxAge: LIFETIME_SECONDS });
  }

  clear(request: FastifyRequest, reply: FastifyReply, name: Name): void {
    this.#send(request, reply, name, { value: '', maxAge: 0 });
  }

  #send(
    request: FastifyRequest,
    reply: FastifyReply,
    name: Name,
    { value, maxAge }: { value: string; maxAge: number },
  ): void {
    const secure = this.#clients.isHttps(request.raw);
    const cookie = request.server.serializeCookie(OIDC_COOKIES[name], value, {
      ...ATTRIBUTES[name],
      httpOnly: true,
      secure,
      maxAge,
    });
    // For `Set-Cookie`, Fastify keeps the headers that the reply already has and adds this one.
    reply.header('set-cookie', cookie);
  }
}
