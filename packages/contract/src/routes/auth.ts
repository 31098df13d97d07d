import { ANY_CALLER, PUBLIC } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import {
  AnyScopeSchema,
  CredentialSchema,
  NullableText,
  RoleSchema,
  ScopeSchema,
  ScopesInput,
  StatusSchema,
  TeamRefSchema,
  Type,
} from './common.ts';

const Me = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
  accessKey: Type.String(),
  scopes: Type.Array(ScopeSchema),
  teams: Type.Array(TeamRefSchema),
  kind: CredentialSchema,
  expiresAt: NullableText,
  authDisabled: Type.Boolean(),
  passwordChangeRequired: Type.Boolean(),
  /** Somebody else chose it: the pages show nothing before it is changed. */
  passwordIsTemporary: Type.Boolean(),
  /** The own password is the built-in one or as well known; for an Admin's sign-in, that of any account (contract 5). */
  builtInPassword: Type.Boolean(),
});

/** Public members only. */
const PublicKey = Type.Object({
  kty: Type.String(),
  crv: Type.String(),
  x: Type.String(),
  y: Type.String(),
  kid: Type.String(),
  use: Type.Literal('sig'),
  alg: Type.Literal('ES256'),
});

const Bearer = Type.Object({
  token: Type.String(),
  /** Seconds. */
  expiresIn: Type.Integer(),
  audience: Type.String(),
  scopes: Type.Array(AnyScopeSchema),
  sessionToken: Type.Optional(Type.String()),
});

const Capabilities = Type.Object({
  version: Type.String(),
  features: Type.Object({
    commandAuth: Type.Boolean(),
    sessionTokenGate: Type.Boolean(),
    bearerAuth: Type.Boolean(),
    streamTickets: Type.Boolean(),
    mcpScopedTokens: Type.Boolean(),
    liveEvents: Type.Boolean(),
  }),
  /** How sessions are created here: Appium's base path, and what fits a virtual phone of this lab, if it has any. */
  webDriver: Type.Object({
    basePath: Type.String(),
    example: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  }),
});

export const authRoutes = {
  jwks: defineRoute({
    method: 'GET',
    path: '/auth/jwks.json',
    access: PUBLIC,
    summary: 'The key set signed tokens are verified with',
    responses: { 200: Type.Object({ keys: Type.Array(PublicKey) }) },
  }),
  me: defineRoute({
    method: 'GET',
    path: '/auth/me',
    access: ANY_CALLER,
    summary: 'Who the caller is and what they may do',
    responses: { 200: Me },
  }),
  issueBearer: defineRoute({
    method: 'POST',
    path: '/auth/token',
    access: ANY_CALLER,
    summary: 'Mint a bearer token, never beyond the credential it is asked with',
    body: Type.Object({ audience: Type.Optional(Type.String()), scopes: Type.Optional(ScopesInput) }),
    responses: { 200: Bearer },
  }),
};

export const capabilityRoutes = {
  capabilities: defineRoute({
    method: 'GET',
    path: '/capabilities',
    access: ANY_CALLER,
    summary: 'What this server has and has switched on',
    responses: { 200: Capabilities },
  }),
};
