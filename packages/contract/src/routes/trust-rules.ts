import { ADMIN, exceptAgents } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  NameInput,
  NullableInstant,
  NullableText,
  NullableUuid,
  namedObject,
  ScopeSchema,
  Type,
  UserRefSchema,
  UuidSchema,
} from './common.ts';

/**
 * Returns the schema of a text or null. Each call creates a new schema, because `documentedAs` modifies the schema that
 * it gets.
 */
const textOrNull = () => Type.Unsafe<string | null>({ type: ['string', 'null'] });

/** Schema of an allowed value of a claim. Values are compared as text, so `74` and `"74"` are equal. */
const ClaimValue = Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] });

const TrustClaim = namedObject(
  'TrustClaim',
  {
    claim: Type.String({
      description: 'Name of a claim of the token. A dot or a slash is an ordinary character of the name.',
    }),
    anyOf: Type.Array(ClaimValue, {
      description:
        'Exact values, of which the claim must have one. A claim that is a list must contain one of them.',
    }),
  },
  { additionalProperties: false },
);

const JWKS_TEXT =
  'Public keys of the issuer (RFC 7517), for an issuer that this server cannot reach. null means that the keys are read from the issuer.';

const Jwks = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: JWKS_TEXT,
});

/** Schema of an issuer's public keys in a request. Later code refuses unsuitable keys with 400 `invalid_rule`. */
const JwksInput = documentedAs(
  Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
  Type.Unsafe({
    type: ['object', 'null'],
    additionalProperties: true,
    required: ['keys'],
    properties: {
      keys: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        items: { type: 'object', additionalProperties: true },
        description: 'Public keys, of which at least one is for RSA, P-256 or Ed25519.',
      },
    },
    description: JWKS_TEXT,
  }),
);

const TrustRun = namedObject('TrustRun', {
  at: InstantSchema,
  subject: Type.String({ description: 'The claim `sub` of the token that was exchanged.' }),
  run: Type.String({ description: 'The run as text, such as `owner/repo@main, run 812`.' }),
});

const TrustRule = namedObject('TrustRule', {
  id: UuidSchema,
  name: Type.String(),
  owner: UserRefSchema,
  issuer: Type.String(),
  audience: documentedAs(
    textOrNull(),
    Type.Unsafe({
      type: ['string', 'null'],
      description: 'Audience that a token must name. null if the rule uses the public URL and none is set.',
    }),
  ),
  jwks: Jwks,
  claims: Type.Array(TrustClaim),
  scopes: Type.Array(ScopeSchema),
  teamId: NullableUuid,
  maxMinutes: Type.Integer(),
  paused: Type.Boolean(),
  createdAt: InstantSchema,
  lastUsedAt: NullableInstant,
  expiresAt: documentedAs(
    Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    Type.Unsafe({
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Time at which the rule ends together with the credential that created it. null means that the rule does not end.',
    }),
  ),
  runs: Type.Array(TrustRun, { description: 'The last runs that used the rule, newest first.' }),
});

const TAG: RouteTag = {
  name: 'Trusted workloads',
  description:
    'Rules by which the tokens of CI jobs are exchanged for tokens of this server (contract 10.3).',
};

export const trustRuleRoutes = feature(TAG, {
  listTrustRules: route.get('/trust-rules', {
    access: ADMIN,
    summary: 'Every trust rule of the lab, newest first',
    responses: { 200: Type.Array(TrustRule) },
  }),
  createTrustRule: route.post('/trust-rules', {
    access: exceptAgents(ADMIN),
    summary: 'Trust the tokens of an issuer that have certain claims',
    description:
      'A job whose token has all claims of the rule gets a token of your account with the scopes of the rule. Pin ids that never change, such as `repository_id`, because names can be registered again by somebody else.',
    body: Type.Object({
      name: NameInput,
      issuer: Type.String({
        description: 'The claim `iss` of the tokens: https, or http on a loopback host.',
      }),
      audience: Type.Optional(
        documentedAs(
          textOrNull(),
          Type.String({ description: 'The only audience of the tokens. Default: the public URL.' }),
        ),
      ),
      jwks: Type.Optional(JwksInput),
      claims: documentedAs(
        Type.Optional(Type.Array(TrustClaim)),
        Type.Array(TrustClaim, { minItems: 1, maxItems: 16 }),
      ),
      scopes: documentedAs(Type.Array(Type.String()), Type.Array(ScopeSchema, { minItems: 1 })),
      teamId: Type.Optional(NullableUuid),
      maxMinutes: Type.Optional(
        documentedAs(
          Type.Number(),
          Type.Integer({
            minimum: 1,
            maximum: 720,
            default: 60,
            description: 'Lifetime of the tokens in minutes.',
          }),
        ),
      ),
    }),
    responses: { 201: TrustRule },
    errors: ['invalid_rule', 'too_many_rules', 'conflict', 'limit_reached'],
  }),
  testTrustRules: route.post('/trust-rules/try', {
    access: ADMIN,
    summary: 'Show which rules a token would match; stores nothing and does not use the token up',
    body: Type.Object({ token: Type.String({ description: 'A token of a CI job.' }) }),
    sensitive: true,
    responses: {
      200: namedObject('TrustTrial', {
        claims: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
        matches: Type.Array(
          Type.Object({
            ruleId: UuidSchema,
            matches: Type.Boolean(),
            why: documentedAs(
              textOrNull(),
              Type.Unsafe({
                type: ['string', 'null'],
                description: 'The first reason why the rule does not match, or null if it matches.',
              }),
            ),
          }),
        ),
        suggestion: Type.Optional(
          namedObject('TrustSuggestion', {
            name: Type.String(),
            issuer: Type.String(),
            audience: NullableText,
            claims: Type.Array(TrustClaim),
          }),
        ),
      }),
    },
  }),
  changeTrustRule: route.patch('/trust-rules/:id', {
    access: ADMIN,
    summary: 'Rename, pause or resume a rule',
    description: 'Tokens of a paused rule are refused from now on.',
    params: IdParams,
    body: Type.Object({ name: Type.Optional(NameInput), paused: Type.Optional(Type.Boolean()) }),
    responses: { 200: TrustRule },
    errors: ['invalid_rule', 'role_exceeds_yours'],
  }),
  deleteTrustRule: route.delete('/trust-rules/:id', {
    access: ADMIN,
    summary: 'Delete a rule',
    description: 'Its tokens, and everything that was created with them, are refused from now on.',
    params: IdParams,
    responses: { 204: null },
    errors: ['role_exceeds_yours'],
  }),
});
