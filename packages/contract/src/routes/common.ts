import { type Static, Type } from 'typebox';
import { REST_CREDENTIALS } from '../access.ts';
import { ROLES, STATUSES } from '../roles.ts';
import { MCP_SCOPES, SCOPES } from '../scopes.ts';

export { type Static, Type };

/** One of a list of words, as a plain JSON Schema `enum`: quick to check and to write out. */
export function literals<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

export const RoleSchema = literals(ROLES);
export const StatusSchema = literals(STATUSES);
export const CredentialSchema = literals(REST_CREDENTIALS);
export const ScopeSchema = literals(SCOPES);
export const AnyScopeSchema = literals([...SCOPES, ...MCP_SCOPES]);

/** ISO 8601 UTC with milliseconds (contract 1). */
export const InstantSchema = Type.String();
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const TeamRefSchema = Type.Object({ id: Type.String(), name: Type.String() });
export const UserRefSchema = Type.Object({ id: Type.String(), email: Type.String() });

/** Scopes of a request are checked by the policy, which names the offenders. */
export const ScopesInput = Type.Array(Type.String(), { maxItems: 64 });

/** `:id` of a path. */
export const IdParams = Type.Object({ id: Type.String() });

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

/** Where a page begins: the id of the last row of the page before it. */
export const BeforeText = Type.String({ pattern: UUID });

/** Part of a name or e-mail address. */
export const SearchText = Type.String({ maxLength: 254 });

/** A page's length in a query: 1 to 999, as text. */
export const LimitText = Type.String({ pattern: '^[1-9][0-9]{0,2}$' });
