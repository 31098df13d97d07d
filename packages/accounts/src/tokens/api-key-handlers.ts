import { scopeList } from '@svc/auth-core';
import { type Handlers, instant, mapped } from '@svc/module';
import { pageIn } from '../rules/pages.ts';
import type { ApiTokens, OwnedApiToken } from './api-tokens.ts';

/** Handlers of all API keys and tokens of the lab (specification 2, API key; contract 2). */
export function apiKeyHandlers(apiTokens: ApiTokens): Handlers {
  return {
    listApiKeys: {
      list: (request) => {
        const { caller } = request;
        const page = pageIn(request.query);
        return mapped(page ? apiTokens.page(caller, page) : apiTokens.read(caller), describeKey);
      },
    },

    createApiKey: ({ caller, body }) => {
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
    },

    changeApiKey: {
      authorize: (caller, { id }) => apiTokens.checkReach(caller, id),
      answer: ({ caller, params, body }) =>
        describeKey(apiTokens.changeRateLimit(caller, params.id, body.rateLimit)),
    },

    revokeApiKey: {
      authorize: (caller, { id }) => apiTokens.checkReach(caller, id),
      answer: ({ caller, params, query }) =>
        apiTokens.revokeAny(caller, params.id, { cascade: query.cascade === 'true' }),
    },
  };
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
