import { ANY_CALLER, rotateAccessKey, scopeList } from '@svc/auth-core';
import {
  AccessKeyResponse,
  CreateTokenBody,
  CreateTokenResponse,
  IdParams,
  ProfileTokenResponse,
  Type,
} from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

/** The caller's own access key and tokens (specification 2 and 5.2, contract 2). */
export function profileRoutes(api: App, { services }: HttpContext): void {
  const access = { config: { access: ANY_CALLER } };

  api.get(
    '/profile/access-key',
    { ...access, schema: { response: { 200: AccessKeyResponse } } },
    async (request) => ({
      accessKey: request.caller.account.accessKey,
    }),
  );

  api.post(
    '/profile/access-key/rotate',
    { ...access, schema: { response: { 200: AccessKeyResponse } } },
    async (request) => ({ accessKey: rotateAccessKey(request.caller, services) }),
  );

  api.get(
    '/profile/tokens',
    { ...access, schema: { response: { 200: Type.Array(ProfileTokenResponse) } } },
    async (request) => {
      const now = services.clock.now();
      return services.stores.apiTokens
        .listOf(request.caller.account.id)
        .filter((token) => token.kind === 'profile')
        .map((token) => ({
          id: token.id,
          name: token.name,
          scopes: scopeList(token.scopes),
          createdAt: instant(token.createdAt),
          lastUsedAt: instant(token.lastUsedAt),
          expiresAt: instant(token.expiresAt),
          expired: token.expiresAt !== null && now >= token.expiresAt,
        }));
    },
  );

  api.post(
    '/profile/tokens',
    { ...access, schema: { body: CreateTokenBody, response: { 201: CreateTokenResponse } } },
    async (request, reply) => {
      const { token, secret } = services.apiTokens.createProfileToken(request.caller, request.body);
      return reply.code(201).send({
        id: token.id,
        name: token.name,
        scopes: scopeList(token.scopes),
        token: secret,
        expiresAt: instant(token.expiresAt),
      });
    },
  );

  api.delete('/profile/tokens/:id', { ...access, schema: { params: IdParams } }, async (request, reply) => {
    services.apiTokens.revokeOwn(request.caller, request.params.id);
    return reply.code(204).send();
  });
}
