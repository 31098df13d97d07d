import { ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import {
  BeforeText,
  IdParams,
  InstantSchema,
  LimitText,
  literals,
  NullableText,
  ScopeSchema,
  ScopesInput,
  SearchText,
  TeamRefSchema,
  Type,
  UserRefSchema,
} from './common.ts';

/** One key or token of the lab with its owner; never a secret. */
const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  owner: UserRefSchema,
  kind: literals(['profile', 'api-key']),
  scopes: Type.Array(ScopeSchema),
  rateLimit: Type.Integer(),
  team: Type.Union([TeamRefSchema, Type.Null()]),
  createdAt: InstantSchema,
  lastUsedAt: NullableText,
  expiresAt: NullableText,
});

const CreatedApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeSchema),
  token: Type.String(),
  rateLimit: Type.Integer(),
  teamId: NullableText,
  expiresAt: NullableText,
});

export const apiKeyRoutes = {
  listApiKeys: defineRoute({
    method: 'GET',
    path: '/apikeys',
    access: ADMIN,
    summary: 'Every live key and token of the lab, with its owner, newest first',
    query: Type.Object({
      search: Type.Optional(SearchText),
      before: Type.Optional(BeforeText),
      limit: Type.Optional(LimitText),
    }),
    responses: { 200: Type.Array(ApiKey) },
  }),
  createApiKey: defineRoute({
    method: 'POST',
    path: '/apikeys',
    access: ADMIN,
    summary: 'Make an API key; the secret is shown this once',
    body: Type.Object({
      name: Type.String(),
      scopes: ScopesInput,
      rateLimit: Type.Optional(Type.Number()),
      teamId: Type.Optional(NullableText),
      expiresAt: Type.Optional(NullableText),
    }),
    responses: { 201: CreatedApiKey },
  }),
  changeApiKey: defineRoute({
    method: 'PATCH',
    path: '/apikeys/:id',
    access: ADMIN,
    summary: 'Change the rate limit of a key or token',
    params: IdParams,
    body: Type.Object({ rateLimit: Type.Number() }),
    responses: { 200: ApiKey },
  }),
  revokeApiKey: defineRoute({
    method: 'DELETE',
    path: '/apikeys/:id',
    access: ADMIN,
    summary: 'Revoke a key or token of the lab',
    params: IdParams,
    responses: { 204: null },
  }),
};
