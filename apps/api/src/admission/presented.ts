import type { PresentedCredentials } from '@svc/auth-core';
import { ACCESS_KEY_PREFIX, HEADERS, SIGN_IN_COOKIE } from '@svc/contract';
import type { FastifyRequest } from 'fastify';

/**
 * Credentials that a request to the API contains. The cookie is parsed only if it is read, because a stronger
 * credential has priority and makes the cookie irrelevant.
 */
export class PresentedByRequest implements PresentedCredentials {
  readonly headers: PresentedCredentials['headers'];
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

/** @returns the credentials of a request whose route accepts no cookies */
export function withoutCookie({ headers }: FastifyRequest): PresentedCredentials {
  return { headers, cookie: undefined };
}

/** @returns the credential of an agent: the MCP server reads the header `Authorization` alone (contract 12) */
export function bearerAlone({ headers: { authorization } }: FastifyRequest): PresentedCredentials {
  return { headers: { authorization }, cookie: undefined };
}

const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;

/**
 * @returns the credentials of a request, in which a key pair can also be the user name and password of HTTP Basic
 * authentication, because OAuth clients send an id and a secret this way (RFC 6749 2.3.1). It counts only if the
 * request has neither half of a pair in its own headers (contract 15.1).
 */
export function basicOrHeaders({ headers }: FastifyRequest): PresentedCredentials {
  const isOwn = headers[HEADERS.accessKey] !== undefined || headers[HEADERS.token] !== undefined;
  const pair = isOwn ? {} : clientOf(headers.authorization);
  return { headers: { ...headers, ...pair }, cookie: undefined };
}

/**
 * @returns the key pair in an `Authorization: Basic` header, as the headers that usually carry it. They are missing if
 * the user name is no access key, and the token is missing if there is no password.
 */
function clientOf(authorization: string | undefined): Record<string, string> {
  const [, encoded] = BASIC.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return {};
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('latin1').split(':');
  const accessKey = formDecoded(id);
  if (!accessKey.startsWith(ACCESS_KEY_PREFIX)) return {};
  const token = secret.length === 0 ? {} : { [HEADERS.token]: formDecoded(secret.join(':')) };
  return { [HEADERS.accessKey]: accessKey, ...token };
}

/**
 * Decodes an id or secret from HTTP Basic authentication, which standard OAuth clients form-encode. Returns the text
 * unchanged if it cannot be decoded.
 */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
