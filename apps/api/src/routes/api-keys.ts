import { type OwnedApiToken, scopeList } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant, mapped } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes for all API keys and tokens of the lab (specification 2, API key; contract 2). */
export function apiKeyRoutes(api: App, { services: { apiTokens }, reads }: HttpContext): void {
  handle(api, routes.listApiKeys, async (request, reply) => {
    const {
      caller,
      query: { search, kind, before, limit },
    } = request;
    const page = { search, kind, before, limit: limit === undefined ? undefined : Number(limit) };
    const isPage = Object.values(page).some((value) => value !== undefined);
    const found = mapped(isPage ? apiTokens.page(caller, page) : apiTokens.read(caller), describeKey);
    return await reads.sendList({ request, reply }, routes.listApiKeys, found);
  });

  handle(api, routes.createApiKey, ({ caller, body }) => {
    const { token, secret } = apiTokens.createApiKey(caller, body);
    return {
      id: token.id,
      name: token.name,
      scopes: scopeList(token.scopes),
      token: secret,
      rateLimit: token.rateLimit,
      teamId: token.teamId,
      expiresAt: instant(token.expiresAt),
    };
  });

  handle(
    api,
    routes.changeApiKey,
    ({ caller, params, body }) => describeKey(apiTokens.changeRateLimit(caller, params.id, body.rateLimit)),
    { authorizeResource: (caller, { id }) => apiTokens.checkReach(caller, id) },
  );

  handle(
    api,
    routes.revokeApiKey,
    ({ caller, params, query }) =>
      apiTokens.revokeAny(caller, params.id, { cascade: query.cascade === 'true' }),
    { authorizeResource: (caller, { id }) => apiTokens.checkReach(caller, id) },
  );
}

function describeKey(token: OwnedApiToken) {
  return {
    id: token.id,
    name: token.name,
    owner: token.owner,
    kind: token.kind,
    scopes: scopeList(token.scopes),
    rateLimit: token.rateLimit,
    team: token.team,
    createdAt: instant(token.createdAt),
    lastUsedAt: instant(token.lastUsedAt),
    unusedSince: instant(token.unusedSince),
    expiresAt: instant(token.expiresAt),
  };
}
