import { ADMIN, type ApiToken, type Caller, scopeList } from '@svc/auth-core';
import {
  ApiKeyResponse,
  ChangeApiKeyBody,
  CreateApiKeyBody,
  CreateApiKeyResponse,
  IdParams,
  Type,
} from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import type { Services } from '../services.ts';
import { instant } from '../wire.ts';

/** Every key and token of the lab, and the admin-made ones (specification 2, API key; contract 2). */
export function apiKeyRoutes(api: App, { services }: HttpContext): void {
  const config = { access: ADMIN };
  const authorizeResource = (caller: Caller, { id = '' }: Readonly<Record<string, string>>) =>
    services.apiTokens.checkReach(caller, id);

  api.get('/apikeys', { config, schema: { response: { 200: Type.Array(ApiKeyResponse) } } }, async () => {
    const now = services.clock.now();
    return services.stores.apiTokens
      .listAll()
      .filter((token) => token.expiresAt === null || now < token.expiresAt)
      .map((token) => describeKey(token, services));
  });

  api.post(
    '/apikeys',
    { config, schema: { body: CreateApiKeyBody, response: { 201: CreateApiKeyResponse } } },
    async (request, reply) => {
      const { token, secret } = services.apiTokens.createApiKey(request.caller, request.body);
      return reply.code(201).send({
        id: token.id,
        name: token.name,
        scopes: scopeList(token.scopes),
        token: secret,
        rateLimit: token.rateLimit,
        teamId: token.teamId,
        expiresAt: instant(token.expiresAt),
      });
    },
  );

  api.patch(
    '/apikeys/:id',
    {
      config: { ...config, authorizeResource },
      schema: { params: IdParams, body: ChangeApiKeyBody, response: { 200: ApiKeyResponse } },
    },
    async (request) =>
      describeKey(
        services.apiTokens.changeRateLimit(request.caller, request.params.id, request.body.rateLimit),
        services,
      ),
  );

  api.delete('/apikeys/:id', { config, schema: { params: IdParams } }, async (request, reply) => {
    services.apiTokens.revokeAny(request.caller, request.params.id);
    return reply.code(204).send();
  });
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
