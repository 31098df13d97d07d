import { ADMIN, type ApiToken, type Caller, scopeList } from '@svc/auth-core';
import {
  ApiKeyAnswer,
  ChangeApiKeyBody,
  CreateApiKeyAnswer,
  CreateApiKeyBody,
  IdParams,
  Type,
} from '@svc/contract';
import type { Deps } from '../deps.ts';
import type { App, Host } from '../host.ts';
import { instant } from '../wire.ts';

/** Every key and token of the lab, and the admin-made ones (specification 2, API key; contract 2). */
export function apiKeyRoutes(api: App, { deps }: Host): void {
  const config = { access: ADMIN };
  const visible = (caller: Caller, { id = '' }: Readonly<Record<string, string>>) =>
    deps.apiTokens.checkReach(caller, id);

  api.get('/apikeys', { config, schema: { response: { 200: Type.Array(ApiKeyAnswer) } } }, async () => {
    const now = deps.clock.now();
    return deps.stores.apiTokens
      .listAll()
      .filter((token) => token.expiresAt === null || now < token.expiresAt)
      .map((token) => describeKey(token, deps));
  });

  api.post(
    '/apikeys',
    { config, schema: { body: CreateApiKeyBody, response: { 201: CreateApiKeyAnswer } } },
    async (request, reply) => {
      const { token, secret } = deps.apiTokens.createApiKey(request.caller, request.body);
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
      config: { ...config, visible },
      schema: { params: IdParams, body: ChangeApiKeyBody, response: { 200: ApiKeyAnswer } },
    },
    async (request) =>
      describeKey(
        deps.apiTokens.changeRateLimit(request.caller, request.params.id, request.body.rateLimit),
        deps,
      ),
  );

  api.delete('/apikeys/:id', { config, schema: { params: IdParams } }, async (request, reply) => {
    deps.apiTokens.revokeAny(request.caller, request.params.id);
    return reply.code(204).send();
  });
}

function describeKey(token: ApiToken, { stores }: Deps) {
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
