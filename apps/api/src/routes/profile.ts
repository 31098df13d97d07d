import { ANY_CALLER, rotateAccessKey, scopeList } from '@svc/auth-core';
import {
  AccessKeyAnswer,
  CreateTokenAnswer,
  CreateTokenBody,
  IdParams,
  ProfileTokenAnswer,
  Type,
} from '@svc/contract';
import type { App, Host } from '../host.ts';
import { instant } from '../wire.ts';

/** The caller's own access key and tokens (specification 2 and 5.2, contract 2). */
export function profileRoutes(api: App, { deps }: Host): void {
  const access = { config: { access: ANY_CALLER } };

  api.get(
    '/profile/access-key',
    { ...access, schema: { response: { 200: AccessKeyAnswer } } },
    async (request) => ({
      accessKey: request.caller.account.accessKey,
    }),
  );

  api.post(
    '/profile/access-key/rotate',
    { ...access, schema: { response: { 200: AccessKeyAnswer } } },
    async (request) => ({ accessKey: rotateAccessKey(request.caller, deps) }),
  );

  api.get(
    '/profile/tokens',
    { ...access, schema: { response: { 200: Type.Array(ProfileTokenAnswer) } } },
    async (request) => {
      const now = deps.clock.now();
      return deps.stores.apiTokens
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
    { ...access, schema: { body: CreateTokenBody, response: { 201: CreateTokenAnswer } } },
    async (request, reply) => {
      const { token, secret } = deps.apiTokens.createProfileToken(request.caller, request.body);
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
    deps.apiTokens.revokeOwn(request.caller, request.params.id);
    return reply.code(204).send();
  });
}
