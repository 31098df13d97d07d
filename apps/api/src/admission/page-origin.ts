import { Refusal } from '@svc/auth-core';
import type { FastifyRequest } from 'fastify';
import { isSafe } from '../http/rate-category.ts';
import type { AccountServices } from '../services/services.ts';
import { isOwnName, originRefusal } from './same-origin.ts';

/** Throws a refusal if a page of another site may have caused the request. */
export type CheckPage = (request: FastifyRequest) => void;

/**
 * Returns the check of a route that accepts cookies: a request that changes something must come from a page of this
 * server or of an allowed origin, unless it has a credential that no browser adds itself (specification 5.6).
 */
export function cookiePages({ config, authenticator }: AccountServices): CheckPage {
  return (request) => {
    if (config.authDisabled || isSafe(request.method)) return;
    const carriesOwnCredential = authenticator.liftsOriginCheck(request.presented);
    const { referer } = request.headers;
    const facts = { ...factsOf(request), method: request.method, referer, carriesOwnCredential };
    const refusal = originRefusal(facts, config.allowedOrigins);
    if (refusal !== null) throw new Refusal(refusal);
  };
}

/**
 * Returns the check of the MCP server, which also applies to reading requests and while sign-in is off: a request with
 * the header `Origin` must come from a page of this server or of an allowed origin (contract 12). Browsers always add
 * the header to requests of a page of another site, so a request without it is accepted.
 */
export function agentPages({ config: { allowedOrigins, publicUrl } }: AccountServices): CheckPage {
  return (request) => {
    const { origin, host } = request.headers;
    if (origin === undefined || origin === publicUrl) return;
    const facts = { ...factsOf(request), method: 'POST', referer: undefined, carriesOwnCredential: false };
    const refusal = originRefusal(facts, allowedOrigins);
    if (refusal !== null) throw new Refusal(refusal);
    if (!allowedOrigins.lists(origin) && !isOwnName(host, publicUrl))
      throw new Refusal('CSRF: Origin/Referer mismatch', 'the Host header is no known name of this server');
  };
}

function factsOf({ headers: { host, origin, ...headers } }: FastifyRequest) {
  return { host, origin, secFetchSite: headers['sec-fetch-site'] as string | undefined };
}
