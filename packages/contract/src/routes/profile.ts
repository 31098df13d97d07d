import { ANY_CALLER, exceptAgents } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  ExpiryInput,
  IdParams,
  InstantSchema,
  NameInput,
  NullableInstant,
  namedObject,
  RevocationQuery,
  ScopeSchema,
  ScopesInput,
  Type,
  UnusedSince,
  UuidSchema,
} from './common.ts';

const AccessKey = namedObject('AccessKey', { accessKey: Type.String() });

const ProfileToken = namedObject('ProfileToken', {
  id: UuidSchema,
  name: Type.String(),
  scopes: Type.Array(ScopeSchema),
  createdAt: InstantSchema,
  lastUsedAt: NullableInstant,
  unusedSince: UnusedSince,
  expiresAt: NullableInstant,
  expired: Type.Boolean(),
});

const TAG: RouteTag = {
  name: 'Profile',
  description: "The caller's own access key and tokens (specification 2, 5.2).",
};

export const profileRoutes = feature(TAG, {
  accessKey: route.get('/profile/access-key', {
    access: ANY_CALLER,
    summary: "The caller's access key",
    responses: { 200: AccessKey },
  }),
  rotateAccessKey: route.post('/profile/access-key/rotate', {
    access: ANY_CALLER,
    summary: "Replace the caller's access key; the old one is rejected from now on",
    description: 'Requires a dashboard sign-in or the scope `admin`.',
    responses: { 200: AccessKey },
    errors: ['rotation_needs_sign_in_or_admin', 'conflict'],
  }),
  listTokens: route.get('/profile/tokens', {
    access: ANY_CALLER,
    summary: "The caller's Profile tokens, newest first, without their secrets",
    responses: { 200: Type.Array(ProfileToken) },
  }),
  createToken: route.post('/profile/tokens', {
    access: exceptAgents(ANY_CALLER),
    summary: 'Create a Profile token; only this response shows the secret',
    description:
      'An account has at most 500 Profile tokens that have neither expired nor been revoked. Requests that create Profile tokens or API keys share one limit of 300 per minute and account, in addition to the rate limit of the credential.',
    body: Type.Object({
      name: NameInput,
      scopes: Type.Optional(ScopesInput),
      expiresAt: Type.Optional(ExpiryInput),
    }),
    responses: {
      201: namedObject('CreatedProfileToken', {
        id: UuidSchema,
        name: Type.String(),
        scopes: Type.Array(ScopeSchema),
        token: Type.String({ description: 'The secret, which is shown only in this response.' }),
        expiresAt: NullableInstant,
      }),
    },
    errors: [
      'limit_reached',
      'unknown_scope',
      'invalid_name',
      'invalid_expiry',
      'expiry_exceeds_credential',
      'scope_exceeds_credential',
      'conflict',
      'too_many_tokens',
    ],
  }),
  revokeToken: route.delete('/profile/tokens/:id', {
    access: ANY_CALLER,
    summary: "Revoke one of the caller's Profile tokens",
    params: IdParams,
    query: RevocationQuery,
    responses: { 204: null },
  }),
});
