import {
  AnyScopeSchema,
  InstantSchema,
  KindSchema,
  NullableText,
  RoleSchema,
  ScopeSchema,
  StatusSchema,
  TeamRefSchema,
  Type,
} from './common.ts';

/** POST /auth/login. Missing halves are answered by the sign-in flow itself, since they count as an attempt. */
export const LoginBody = Type.Object({
  email: Type.Optional(Type.Unknown()),
  password: Type.Optional(Type.Unknown()),
});

/** GET /auth/me (contract 2). */
export const MeResponse = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
  accessKey: Type.String(),
  scopes: Type.Array(ScopeSchema),
  teams: Type.Array(TeamRefSchema),
  kind: KindSchema,
  expiresAt: NullableText,
  authDisabled: Type.Boolean(),
  passwordChangeRequired: Type.Boolean(),
});

/** POST /auth/token (specification 4, 5.3). Values are checked by the policy, which names offenders. */
export const TokenBody = Type.Object({
  audience: Type.Optional(Type.String()),
  scopes: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
});
export const TokenResponse = Type.Object({
  token: Type.String(),
  expiresIn: Type.Integer(),
  audience: Type.String(),
  scopes: Type.Array(AnyScopeSchema),
  sessionToken: Type.Optional(Type.String()),
});

/** GET /auth/jwks.json: public members only. */
export const JwksResponse = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      crv: Type.String(),
      x: Type.String(),
      y: Type.String(),
      kid: Type.String(),
      use: Type.Literal('sig'),
      alg: Type.Literal('ES256'),
    }),
  ),
});

export const AuthOptionsResponse = Type.Object({
  passwordReset: Type.Union([Type.Literal('email'), Type.Literal('admin')]),
  authDisabled: Type.Boolean(),
  version: Type.String(),
});

export const HealthResponse = Type.Object({ ok: Type.Boolean() });
export const ReadyResponse = Type.Object({
  ok: Type.Boolean(),
  checks: Type.Object({ database: Type.Boolean(), signingKey: Type.Boolean(), migrations: Type.Boolean() }),
});

export const CapabilitiesResponse = Type.Object({
  version: Type.String(),
  features: Type.Object({
    commandAuth: Type.Boolean(),
    sessionTokenGate: Type.Boolean(),
    bearerAuth: Type.Boolean(),
    streamTickets: Type.Boolean(),
    mcpScopedTokens: Type.Boolean(),
  }),
});

export const SignInResponse = Type.Object({
  id: Type.String(),
  createdAt: InstantSchema,
  lastSeenAt: InstantSchema,
  expiresAt: InstantSchema,
  userAgent: NullableText,
  current: Type.Boolean(),
});
