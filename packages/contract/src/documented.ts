import type { FieldRule } from './field-rules.ts';
import type { TSchema } from './json-schema.ts';

/** Additions to a schema for the OpenAPI document, which validation does not use. */
interface Documented {
  /** Name of the schema in the OpenAPI document. If absent, the schema has no name there. */
  readonly name?: string;
  /** Schema that the OpenAPI document shows instead of the validated one. */
  readonly schema?: TSchema;
  /** JSON Schema keywords that the OpenAPI document shows in addition to those of the schema. */
  readonly rule?: FieldRule;
}

/**
 * Key under which a schema object stores its `Documented`. It is a symbol, so that validators and serialisers ignore
 * this property.
 */
const DOCUMENTED = Symbol('svc.documented');

export function documentedOf(schema: TSchema): Documented {
  return (schema as { readonly [DOCUMENTED]?: Documented })[DOCUMENTED] ?? {};
}

/** Gives the schema a name in the OpenAPI document. Client generators name the type for the schema after it. */
export function named<S extends TSchema>(name: string, schema: S): S {
  return annotate(schema, { name });
}

/**
 * Returns a schema that is validated as `schema` but documented as `documented`. Used where validation must accept more
 * than the document shows: because later code refuses wrong values with its own error code, or because the value
 * arrives as text, such as a number in a query.
 */
export function documentedAs<S extends TSchema>(schema: S, documented: TSchema): S {
  return annotate(schema, { schema: documented });
}

/**
 * Adds a rule about several fields of an object, such as "`udid` or `platform`, but not both", to the OpenAPI document.
 * The server does not validate this rule with the schema. The code of the route checks it, so that a wrong combination
 * gets its own error code and message.
 */
export function withRule<S extends TSchema>(schema: S, rule: FieldRule): S {
  return annotate(schema, { rule });
}

function annotate<S extends TSchema>(schema: S, documented: Documented): S {
  const value = { ...documentedOf(schema), ...documented };
  return Object.defineProperty(schema, DOCUMENTED, { value, configurable: true });
}
