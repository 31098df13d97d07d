import { ANY_CALLER } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { IdParams, InstantSchema, NullableText, ScopeSchema, ScopesInput, Type } from './common.ts';

const AccessKey = Type.Object({ accessKey: Type.String() });

const ProfileToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeSchema),
  createdAt: InstantSchema,
  lastUsedAt: NullableText,
  expiresAt: NullableText,
  expired: Type.Boolean(),
});

export const profileRoutes = {
  accessKey: defineRoute({
    method: 'GET',
    path: '/profile/access-key',
    access: ANY_CALLER,
    summary: "The caller's access key",
    responses: { 200: AccessKey },
  }),
  rotateAccessKey: defineRoute({
    method: 'POST',
    path: '/profile/access-key/rotate',
    access: ANY_CALLER,
    summary: 'Replace it; the old one stops at once',
    responses: { 200: AccessKey },
  }),
  listTokens: defineRoute({
    method: 'GET',
    path: '/profile/tokens',
    access: ANY_CALLER,
    summary: "The caller's Profile tokens, newest first, never a secret",
    responses: { 200: Type.Array(ProfileToken) },
  }),
  createToken: defineRoute({
    method: 'POST',
    path: '/profile/tokens',
    access: ANY_CALLER,
    summary: 'Make a Profile token; the secret is shown this once',
    body: Type.Object({
      name: Type.String(),
      scopes: Type.Optional(ScopesInput),
      // null asks for never; omitted inherits the credential's expiry (specification 5.2).
      expiresAt: Type.Optional(NullableText),
    }),
    responses: {
      201: Type.Object({
        id: Type.String(),
        name: Type.String(),
        scopes: Type.Array(ScopeSchema),
        token: Type.String(),
        expiresAt: NullableText,
      }),
    },
  }),
  revokeToken: defineRoute({
    method: 'DELETE',
    path: '/profile/tokens/:id',
    access: ANY_CALLER,
    summary: 'Revoke one of them',
    params: IdParams,
    responses: { 204: null },
  }),
};
