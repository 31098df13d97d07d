import type { TSchema } from './json-schema.ts';

/** What the OpenAPI document says about a schema beyond what the server validates. */
interface Documented {
  /** Name of the schema in the document. */
  readonly name?: string;
  /** Schema that the document shows instead. */
  readonly schema?: TSchema;
}

/** Key of a property that validators and serialisers ignore and that copies of a schema keep. */
const DOCUMENTED = Symbol('svc.documented');

export function documentedOf(schema: TSchema): Documented {
  return (schema as { readonly [DOCUMENTED]?: Documented })[DOCUMENTED] ?? {};
}

/** Names the schema for generated clients and for readers. */
export function named<S extends TSchema>(name: string, schema: S): S {
  return annotate(schema, { name });
}

/**
 * Documents the schema as another one: where the server accepts anything and a rule refuses the rest with its own error
 * code, or where a value travels as text.
 */
export function documentedAs<S extends TSchema>(schema: S, documented: TSchema): S {
  return annotate(schema, { schema: documented });
}

function annotate<S extends TSchema>(schema: S, documented: Documented): S {
  const value = { ...documentedOf(schema), ...documented };
  return Object.defineProperty(schema, DOCUMENTED, { value, configurable: true });
}
