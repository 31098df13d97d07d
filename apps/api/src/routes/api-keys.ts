import { type ApiToken, type Caller, scopeList } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import type { Services } from '../services.ts';
import { instant } from '../wire.ts';

/** Every key and token of the lab, and the admin-made ones (specification 2, API key; contract 2). */
export function apiKeyRoutes(api: App, { services }: HttpContext): void {
  const { apiTokens } = services;

  handle(api, routes.listApiKeys, () => {
    const now = services.clock.now();
    return services.stores.apiTokens
      .listAll()
      .filter((token) => token.expiresAt === null || now < token.expiresAt)
      .map((token) => describeKey(token, services));
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
    ({ caller, params, body }) =>
      describeKey(apiTokens.changeRateLimit(caller, params.id, body.rateLimit), services),
    { authorizeResource: (caller: Caller, { id }) => apiTokens.checkReach(caller, id) },
  );

  handle(api, routes.revokeApiKey, ({ caller, params }) => apiTokens.revokeAny(caller, params.id));
}

function describeKey(token: ApiToken, { stores }: Services) {
  return {
    id: token.id,
    name: token.name,
    owner: { id: token.ownerId, email: stores.accounts.byId(token.ownerId)?.email ?? '' },
    kind: token.kind,
    scopes: scopeList(token.scopes),
    rateLimit: token.rateLimit,
    team: token.teamId === null ? null : (stores.teams.byId(token.teamId) ?? null),
    createdAt: instant(token.createdAt),
    lastUsedAt: instant(token.lastUsedAt),
    expiresAt: instant(token.expiresAt),
  };
}
