import { REST_CREDENTIALS } from '../access.ts';
import { documentedAs, named, withRule } from '../documented.ts';
import { type Static, type TSchema, Type } from '../json-schema.ts';
import { ROLES, STATUSES } from '../roles.ts';
import { MCP_SCOPES, SCOPES } from '../scopes.ts';

export { documentedAs, named, type Static, Type, withRule };

/**
 * Returns the schema of a text that must be one of `values`: a plain JSON Schema `enum`, because this is faster to
 * validate and to serialise than a union of constants.
 */
export function literals<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

/** Returns the schema of an object with these fields, which has a name in the OpenAPI document. */
export function namedObject<Fields extends Readonly<Record<string, TSchema>>>(
  name: string,
  fields: Fields,
  options?: { readonly description?: string; readonly additionalProperties?: false },
) {
  return named(name, Type.Object(fields, options));
}

export function orNull<Schema extends TSchema>(schema: Schema, options?: { readonly description: string }) {
  return Type.Union([schema, Type.Null()], options);
}

/** Returns a schema that accepts any text and that the OpenAPI document shows with a format. */
function textOf(format: string) {
  return documentedAs(Type.String(), Type.String({ format }));
}

/** Returns a schema that accepts any text or null and that the OpenAPI document shows with a format. */
export function nullableText(format: string, description?: string) {
  const documented = {
    type: ['string', 'null'],
    format,
    ...(description === undefined ? {} : { description }),
  };
  return documentedAs(Type.Unsafe<string | null>({ type: ['string', 'null'] }), Type.Unsafe(documented));
}

export const RoleSchema = named('Role', literals(ROLES));
export const StatusSchema = named('AccountStatus', literals(STATUSES));
export const CredentialSchema = named('CredentialKind', literals(REST_CREDENTIALS));
export const ScopeSchema = named('Scope', literals(SCOPES));
export const McpScopeSchema = named('McpScope', literals(MCP_SCOPES));
export const AnyScopeSchema = documentedAs(
  literals([...SCOPES, ...MCP_SCOPES]),
  Type.Union([ScopeSchema, McpScopeSchema]),
);

export const UuidSchema = textOf('uuid');
export const EmailSchema = textOf('email');
/** Schema of a time in ISO 8601 UTC with milliseconds (contract 1). */
export const InstantSchema = textOf('date-time');
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const NullableUuid = nullableText('uuid');
export const NullableInstant = nullableText('date-time');
/**
 * Schema of `unusedSince`: the time of the last use of a key or token, or of its creation if it was never used. Null if
 * this time is less than 90 days ago (contract 10.6).
 */
export const UnusedSince = nullableText(
  'date-time',
  'Time of the last use, or of the creation if there was no use. Null if this time is less than 90 days ago.',
);
/**
 * Schema of `expiresAt` in a request. Validation accepts any text or null; a later rule refuses a text that is not a
 * future time with 400 `invalid_expiry`.
 */
export const ExpiryInput = nullableText(
  'date-time',
  'A future time in ISO 8601, no later than the expiry of the credential of the request. null means never. If absent, the expiry of that credential applies (specification 5.2).',
);

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/**
 * Schema of a display name. Validation accepts any text; a later rule refuses an unsuitable one with 400
 * `invalid_name`.
 */
export const NameInput = documentedAs(
  Type.String(),
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: `^[^${CONTROL}]*[^\\s\\ufeff${CONTROL}][^${CONTROL}]*$`,
    description: 'At most 100 characters and no control characters; leading and trailing spaces are removed.',
  }),
);

/**
 * Schema of a new password. Validation accepts any text; later rules refuse unsuitable ones, each with its own error
 * code (contract 4).
 */
export const NewPassword = documentedAs(
  Type.String(),
  Type.String({
    format: 'password',
    minLength: 8,
    maxLength: 72,
    pattern: '^[^\\u0000]*$',
    description: 'At least 8 characters, at most 72 bytes of UTF-8, and not a common one.',
  }),
);

/**
 * Schema of the object that `navigator.credentials` returned for a passkey, with binary values in base64url. Validation
 * accepts any object, because later code refuses all wrong objects with one error.
 */
export const PasskeyResponse = documentedAs(
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' }),
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description:
      'The JSON form of a `PublicKeyCredential`, as `PublicKeyCredential.toJSON()` and `@simplewebauthn/browser` return it.',
  }),
);

export const TeamRefSchema = namedObject('Team', { id: UuidSchema, name: Type.String() });
export const UserRefSchema = namedObject('UserRef', { id: UuidSchema, email: EmailSchema });

/**
 * Schema of requested scopes. Validation accepts any texts, because later code refuses wrong scopes with an error that
 * names them.
 */
export const ScopesInput = documentedAs(
  Type.Array(Type.String(), { maxItems: 64 }),
  Type.Array(ScopeSchema, { maxItems: 64 }),
);

/** Schema of a ticket, which is valid once and for `expiresIn` seconds (specification 5.8). */
export const TicketSchema = namedObject('Ticket', {
  ticket: Type.String(),
  expiresIn: Type.Integer({ description: 'Seconds.' }),
});

/** Schema of the path parameter `:id`. A text that is not a valid id gets the same response as an unknown id. */
export const IdParams = Type.Object({ id: Type.String({ description: 'The id of the object.' }) });
export const UdidParams = Type.Object({ udid: Type.String({ description: 'The UDID of the device.' }) });

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

/** Cursor of a page: the id of the last row of the previous page. */
export const BeforeText = documentedAs(
  Type.String({ pattern: UUID }),
  Type.String({ pattern: UUID, format: 'uuid', description: 'The id of the last row of the previous page.' }),
);

/** Schema of a search for part of a name or e-mail address. */
export const SearchText = Type.String({
  maxLength: 254,
  description: 'Part of a name or e-mail address, in either case.',
});

/**
 * Schema of the query of a revocation. Only with the exact text `true` does the revocation also end the tokens that
 * were minted from the revoked one, so that a mistyped value does not end more tokens than intended (contract 10.4).
 */
export const RevocationQuery = Type.Object({
  cascade: Type.Optional(
    documentedAs(
      Type.Unknown(),
      Type.String({
        enum: ['true'],
        description:
          'Also end the bearer and session tokens that were minted from it, directly or through other tokens.',
      }),
    ),
  ),
});

/** Query parameter with the order of a list by time. */
export const OrderText = Type.Unsafe<'newest' | 'oldest'>({
  type: 'string',
  enum: ['newest', 'oldest'],
  description:
    'Which comes first; the default is `newest`. With `oldest`, `before` still names the last row of the page before.',
});

/** Schema of the page length in a query: 1 to 999, as text. */
export const LimitText = documentedAs(
  Type.String({ pattern: '^[1-9][0-9]{0,2}$' }),
  Type.Integer({ minimum: 1, maximum: 999, description: 'Number of rows in a page.' }),
);

/** Schema of a time in ISO 8601 that travels as text in a query. */
export function timeText(description: string) {
  return documentedAs(
    Type.String({ maxLength: 40 }),
    Type.String({ maxLength: 40, format: 'date-time', description }),
  );
}

/** Schema of a response that is not text, such as a picture. */
export const Binary = Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' });
