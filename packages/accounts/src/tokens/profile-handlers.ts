import type { Caller } from '@svc/auth-core';
import { scopeList } from '@svc/auth-core';
import { type Handlers, instant } from '@svc/module';
import type { ApiTokens } from './api-tokens.ts';

/** Handlers of the caller's own access key and tokens (specification 2 and 5.2, contract 2). */
export function profileHandlers(rotate: (caller: Caller) => string, apiTokens: ApiTokens): Handlers {
  return {
    accessKey: ({ caller }) => ({ accessKey: caller.account.accessKey }),

    rotateAccessKey: ({ caller }) => ({ accessKey: rotate(caller) }),

    listTokens: ({ caller }) =>
      apiTokens.listOwn(caller).map((token) => ({
        id: token.id,
        name: token.name,
        scopes: scopeList(token.scopes),
        createdAt: instant(token.createdAt),
        lastUsedAt: instant(token.lastUsedAt),
        unusedSince: instant(token.unusedSince),
        expiresAt: instant(token.expiresAt),
        expired: token.expired,
      })),

    createToken: ({ caller, body }) => {
      const { token, secret } = apiTokens.createProfileToken(caller, body);
      return {
        id: token.id,
        name: token.name,
        scopes: scopeList(token.scopes),
        token: secret,
        expiresAt: instant(token.expiresAt),
      };
    },

    revokeToken: {
      authorize: (caller, { id }) => apiTokens.checkOwn(caller, id),
      answer: ({ caller, params, query }) =>
        apiTokens.revokeOwn(caller, params.id, { cascade: query.cascade === 'true' }),
    },
  };
}
