import { ADMIN, exceptAgents } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { hasItems, hasValue, unless } from '../field-rules.ts';
import {
  BeforeText,
  documentedAs,
  ExpiryInput,
  IdParams,
  InstantSchema,
  LimitText,
  literals,
  NameInput,
  NullableInstant,
  NullableUuid,
  named,
  namedObject,
  orNull,
  RevocationQuery,
  ScopeSchema,
  SearchText,
  TeamRefSchema,
  Type,
  UnusedSince,
  UserRefSchema,
  UuidSchema,
  withRule,
} from './common.ts';

const ApiKeyKind = named('ApiKeyKind', literals(['profile', 'api-key', 'scim']));

/** Schema of an API key or token of the lab with its owner. It never contains the secret. */
const ApiKey = namedObject('ApiKey', {
  id: UuidSchema,
  name: Type.String(),
  owner: UserRefSchema,
  kind: ApiKeyKind,
  scopes: Type.Array(ScopeSchema),
  rateLimit: Type.Integer(),
  team: orNull(TeamRefSchema),
  createdAt: InstantSchema,
  lastUsedAt: NullableInstant,
  unusedSince: UnusedSince,
  expiresAt: NullableInstant,
});

const CreatedApiKey = namedObject('CreatedApiKey', {
  id: UuidSchema,
  name: Type.String(),
  scopes: Type.Array(ScopeSchema),
  token: Type.String({ description: 'The secret, which is shown only in this response.' }),
  rateLimit: Type.Integer(),
  teamId: NullableUuid,
  expiresAt: NullableInstant,
});

/**
 * Schema of a rate limit. Validation accepts any number; a later rule refuses an unsuitable one with 400
 * `invalid_rate_limit`.
 */
const RateLimitInput = documentedAs(
  Type.Number(),
  Type.Integer({ minimum: 1, maximum: 100_000, description: 'Requests per minute (specification 8.1).' }),
);

const TAG: RouteTag = { name: 'API keys', description: 'Every key and token of the lab.' };

export const apiKeyRoutes = feature(TAG, {
  listApiKeys: route.get('/apikeys', {
    access: ADMIN,
    summary: 'Every valid key and token of the lab, with its owner, newest first',
    description: 'Returns a page of the list if the request has a query, otherwise the whole list.',
    query: Type.Object({
      search: Type.Optional(SearchText),
      kind: Type.Optional(ApiKeyKind),
      before: Type.Optional(BeforeText),
      limit: Type.Optional(LimitText),
    }),
    responses: { 200: Type.Array(ApiKey) },
  }),
  createApiKey: route.post('/apikeys', {
    access: exceptAgents(ADMIN),
    summary: 'Create an API key; only this response shows the secret',
    description:
      'A key of kind `scim` belongs to an identity provider (contract 10.5): only a Super admin creates one, it has no scopes, and nothing but `/svc/scim/v2` accepts it. Requests that create Profile tokens or API keys share one limit of 300 per minute and account, in addition to the rate limit of the credential.',
    body: withRule(
      Type.Object({
        name: NameInput,
        kind: Type.Optional(literals(['api-key', 'scim'])),
        scopes: Type.Optional(
          documentedAs(
            Type.Array(Type.String(), { maxItems: 64 }),
            Type.Array(ScopeSchema, {
              maxItems: 64,
              description: 'At least one scope, unless the kind is `scim`, which ignores them.',
            }),
          ),
        ),
        rateLimit: Type.Optional(RateLimitInput),
        teamId: Type.Optional(NullableUuid),
        expiresAt: Type.Optional(ExpiryInput),
      }),
      unless(hasValue('kind', 'scim'), hasItems('scopes')),
    ),
    responses: { 201: CreatedApiKey },
    errors: [
      'limit_reached',
      'unknown_scope',
      'unknown_team',
      'invalid_name',
      'invalid_expiry',
      'invalid_rate_limit',
      'expiry_exceeds_credential',
      'scope_exceeds_credential',
      'conflict',
    ],
  }),
  changeApiKey: route.patch('/apikeys/:id', {
    access: ADMIN,
    summary: 'Change the rate limit of a key or token',
    params: IdParams,
    body: Type.Object({ rateLimit: RateLimitInput }),
    responses: { 200: ApiKey },
    errors: ['invalid_rate_limit'],
  }),
  revokeApiKey: route.delete('/apikeys/:id', {
    access: ADMIN,
    summary: 'Revoke a key or token of the lab',
    description:
      'The key or token is rejected from now on; bearer tokens minted with it stay valid until they expire (specification 3), unless `cascade` is `true`. An Admin cannot revoke keys and tokens of another Admin (contract 3.6).',
    params: IdParams,
    query: RevocationQuery,
    responses: { 204: null },
  }),
});
