import { InstantSchema, NullableText, ScopeSchema, Type } from './common.ts';

export const AccessKeyResponse = Type.Object({ accessKey: Type.String() });

/** POST /profile/tokens. `expiresAt: null` asks for never; omitted inherits the credential's expiry (5.2). */
export const CreateTokenBody = Type.Object({
  name: Type.String(),
  scopes: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
  expiresAt: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export const CreateTokenResponse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeSchema),
  token: Type.String(),
  expiresAt: NullableText,
});

export const ProfileTokenResponse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeSchema),
  createdAt: InstantSchema,
  lastUsedAt: NullableText,
  expiresAt: NullableText,
  expired: Type.Boolean(),
});
