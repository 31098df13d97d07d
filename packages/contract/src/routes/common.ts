import { type Static, type TSchema, Type } from 'typebox';
import { ROLES, STATUSES } from '../roles.ts';
import { MCP_SCOPES, SCOPES } from '../scopes.ts';

export { type Static, type TSchema, Type };

/** One of a list of words, as a plain JSON Schema `enum`: quick to check and to write out. */
function literals<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

export const RoleSchema = literals(ROLES);
export const StatusSchema = literals(STATUSES);
export const KindSchema = literals(['sign-in', 'key', 'bearer', 'none']);
export const ScopeSchema = literals(SCOPES);
export const AnyScopeSchema = literals([...SCOPES, ...MCP_SCOPES]);

/** ISO 8601 UTC with milliseconds (contract 1). */
export const InstantSchema = Type.String();
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const TeamRefSchema = Type.Object({ id: Type.String(), name: Type.String() });
export const UserRefSchema = Type.Object({ id: Type.String(), email: Type.String() });

/** `:id` of a path. */
export const IdParams = Type.Object({ id: Type.String() });

/** The one error shape; fields beyond `error` and `message` are named in the contract's tables. */
export const ErrorSchema = Type.Object(
  { error: Type.String(), message: Type.Optional(Type.String()) },
  { additionalProperties: true },
);
