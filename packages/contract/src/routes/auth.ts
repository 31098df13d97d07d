import { ANY_CALLER, PUBLIC, REMOTE_CONTROL } from '../access.ts';
import { BEARER_AUDIENCES } from '../audiences.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { has, hasValue, when } from '../field-rules.ts';
import {
  AnyScopeSchema,
  CredentialSchema,
  documentedAs,
  EmailSchema,
  literals,
  McpScopeSchema,
  NullableInstant,
  named,
  namedObject,
  orNull,
  RoleSchema,
  ScopeSchema,
  StatusSchema,
  TeamRefSchema,
  Type,
  UuidSchema,
  withRule,
} from './common.ts';

const Me = namedObject('Me', {
  id: UuidSchema,
  email: EmailSchema,
  name: Type.String(),
  role: RoleSchema,
  status: StatusSchema,
  accessKey: Type.String(),
  scopes: Type.Array(ScopeSchema),
  teams: Type.Array(TeamRefSchema),
  kind: CredentialSchema,
  expiresAt: NullableInstant,
  authDisabled: Type.Boolean(),
  passwordChangeRequired: Type.Boolean(),
  passwordIsTemporary: Type.Boolean({
    description: 'Another person chose the password, so the pages show nothing until it is changed.',
  }),
  builtInPassword: Type.Boolean({
    description:
      "Whether the caller's password is the built-in one or equally well known. For an Admin's sign-in: whether any account has such a password (contract 5).",
  }),
  via: Type.Optional(
    Type.Object(
      {
        rule: UuidSchema,
        ruleName: Type.String(),
        subject: Type.String({ description: 'The claim `sub` of the token that was exchanged.' }),
      },
      { description: 'The trust rule by which a CI job got the credential (contract 10.3).' },
    ),
  ),
});

/** Schema of a public signing key as a JSON Web Key. It never has the members of the private key. */
const PublicKey = namedObject('PublicKey', {
  kty: Type.String(),
  crv: Type.String(),
  x: Type.String(),
  y: Type.String(),
  kid: Type.String(),
  use: Type.Literal('sig'),
  alg: Type.Literal('ES256'),
});

/** Schema of the limits of an agent. The maxima only exclude absurd values. */
const AgentLimits = namedObject(
  'AgentLimits',
  {
    sessions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Maximum number of sessions of this token at the same time.',
      }),
    ),
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: 'Minutes that the sessions of this token may take together in a day (UTC).',
      }),
    ),
  },
  { additionalProperties: false },
);

const AudienceSchema = named('Audience', literals(BEARER_AUDIENCES));

const Bearer = namedObject('BearerToken', {
  token: Type.String(),
  expiresIn: Type.Integer({ description: 'Seconds.' }),
  audience: documentedAs(Type.String(), AudienceSchema),
  scopes: Type.Array(AnyScopeSchema),
  sessionToken: Type.Optional(
    Type.String({
      description:
        'For `svc-mcp` with `auto:use`: identifies the owner when creating a session (specification 2).',
    }),
  ),
});

const Capabilities = namedObject('Capabilities', {
  version: Type.String(),
  features: Type.Object({
    commandAuth: Type.Boolean(),
    sessionTokenGate: Type.Boolean(),
    bearerAuth: Type.Boolean(),
    streamTickets: Type.Boolean(),
    mcpScopedTokens: Type.Boolean(),
    liveEvents: Type.Boolean(),
    inspector: Type.Boolean({
      description: 'Whether Appium Inspector is installed, at `/svc/inspector/`.',
    }),
    scim: Type.Boolean(),
  }),
  /** Number of create-session and lease requests that wait for a phone (contract 13). */
  queue: Type.Object({ waiting: Type.Integer() }),
  /**
   * How to create a session in this lab: Appium's base path, and capabilities for a virtual phone if the lab has one.
   */
  webDriver: Type.Object({
    basePath: Type.String(),
    example: orNull(Type.Record(Type.String(), Type.Unknown())),
  }),
});

export const TOKENS_TAG: RouteTag = {
  name: 'Tokens',
  description: 'The caller, bearer tokens and their public keys (specification 5.3).',
};

export const authRoutes = feature(TOKENS_TAG, {
  jwks: route.get('/auth/jwks.json', {
    access: PUBLIC,
    summary: 'The public keys that verify signed tokens',
    responses: { 200: namedObject('PublicKeySet', { keys: Type.Array(PublicKey) }) },
  }),
  me: route.get('/auth/me', {
    access: ANY_CALLER,
    summary: 'Who the caller is and what they may do',
    responses: { 200: Me },
  }),
  issueBearer: route.post('/auth/token', {
    access: ANY_CALLER,
    summary: 'Mint a bearer token that grants no more than the credential of the request',
    description:
      '`svc-rest` (the default) carries the API scopes of the credential; `scopes` has no effect on it. `svc-mcp` carries the requested MCP scopes, or those of `auto:use` and `svc:devices:read` that the credential allows (specification 5.3). `limits` is for `svc-mcp` only: beyond a limit, no session starts, and when the minutes are used up, the running sessions end.',
    body: withRule(
      Type.Object({
        audience: Type.Optional(documentedAs(Type.String(), AudienceSchema)),
        scopes: Type.Optional(
          documentedAs(
            Type.Array(Type.String(), { maxItems: 64 }),
            Type.Array(McpScopeSchema, {
              maxItems: 64,
              description: 'For `svc-mcp`; an empty list counts as absent.',
            }),
          ),
        ),
        limits: Type.Optional(AgentLimits),
      }),
      when(has('limits'), hasValue('audience', 'svc-mcp')),
    ),
    responses: { 200: Bearer },
    errors: [
      'unknown_audience',
      'unknown_scope',
      'scope_exceeds_key',
      'expiry_exceeds_credential',
      'limit_reached',
    ],
  }),
  issueSessionToken: route.post('/auth/session-token', {
    access: REMOTE_CONTROL,
    summary: 'Mint a session token for remote control on the page of a phone',
    description:
      'Identifies the signed-in person as the owner when the page creates a session, in `svc:options.sessionToken`. Valid for 11 minutes, and for nothing but creating sessions.',
    responses: {
      200: Type.Object({
        sessionToken: Type.String(),
        expiresIn: Type.Integer({ description: 'Seconds.' }),
      }),
    },
    errors: ['expiry_exceeds_credential'],
  }),
});

export const capabilityRoutes = feature(TOKENS_TAG, {
  capabilities: route.get('/capabilities', {
    access: ANY_CALLER,
    summary: 'Features of this server and whether they are on',
    responses: { 200: Capabilities },
  }),
});
