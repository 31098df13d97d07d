import { REST_CREDENTIALS } from '../access.ts';
import { documentedAs, named } from '../documented.ts';
import { type Static, Type } from '../json-schema.ts';
import { ROLES, STATUSES } from '../roles.ts';
import { MCP_SCOPES, SCOPES } from '../scopes.ts';

export { documentedAs, named, type Static, Type };

/** One of a list of words, as a plain JSON Schema `enum`: quick to check and to write out. */
export function literals<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

/** Checked as any text, documented as one of a format. */
function textOf(format: string) {
  return documentedAs(Type.String(), Type.String({ format }));
}

/** The same where null is told too. */
function nullableText(format: string, description?: string) {
  const said = { type: ['string', 'null'], format, ...(description === undefined ? {} : { description }) };
  return documentedAs(Type.Unsafe<string | null>({ type: ['string', 'null'] }), Type.Unsafe(said));
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
/** ISO 8601 UTC with milliseconds (contract 1). */
export const InstantSchema = textOf('date-time');
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const NullableUuid = nullableText('uuid');
export const NullableInstant = nullableText('date-time');
/** `expiresAt` of a request; a rule refuses what is no time to come (400 `invalid_expiry`). */
export const ExpiryInput = nullableText(
  'date-time',
  'ISO 8601, to come, and no later than the end of the credential that asks. null: never. Left out: that of the credential (specification 5.2).',
);

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** A name people give something; a rule refuses others (400 `invalid_name`). */
export const NameInput = documentedAs(
  Type.String(),
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: `^[^${CONTROL}]*[^\\s\\ufeff${CONTROL}][^${CONTROL}]*$`,
    description: 'At most 100 characters, none of them a control character; spaces around it are dropped.',
  }),
);

/** The rules refuse others with words of their own (contract 4). */
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

export const TeamRefSchema = named('Team', Type.Object({ id: UuidSchema, name: Type.String() }));
export const UserRefSchema = named('UserRef', Type.Object({ id: UuidSchema, email: EmailSchema }));

/** Scopes of a request are checked by the policy, which names the offenders. */
export const ScopesInput = documentedAs(
  Type.Array(Type.String(), { maxItems: 64 }),
  Type.Array(ScopeSchema, { maxItems: 64 }),
);

/** A ticket: once, for `expiresIn` seconds (specification 5.8). */
export const TicketSchema = named(
  'Ticket',
  Type.Object({ ticket: Type.String(), expiresIn: Type.Integer({ description: 'Seconds.' }) }),
);

/** `:id` of a path; one that is no id is an unknown one. */
export const IdParams = Type.Object({ id: Type.String({ description: 'Its id.' }) });
export const UdidParams = Type.Object({ udid: Type.String({ description: 'The udid of the device.' }) });

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

/** Where a page begins: the id of the last row of the page before it. */
export const BeforeText = documentedAs(
  Type.String({ pattern: UUID }),
  Type.String({ pattern: UUID, format: 'uuid', description: 'The id of the last row of the page before.' }),
);

/** Part of a name or e-mail address. */
export const SearchText = Type.String({
  maxLength: 254,
  description: 'Part of a name or e-mail address, in either case.',
});

/** A page's length in a query: 1 to 999, as text. */
export const LimitText = documentedAs(
  Type.String({ pattern: '^[1-9][0-9]{0,2}$' }),
  Type.Integer({ minimum: 1, maximum: 999, description: 'Rows of a page.' }),
);
