import type { TSchema } from './json-schema.ts';

/** What the OpenAPI document says of a schema beyond what the server checks. */
interface Documented {
  /** Its name among the document's schemas. */
  readonly name?: string;
  /** Said in its place. */
  readonly schema?: TSchema;
}

/** Seen by no validator and no serialiser, and copied with the schema. */
const DOCUMENTED = Symbol('svc.documented');

export function documentedOf(schema: TSchema): Documented {
  return (schema as { readonly [DOCUMENTED]?: Documented })[DOCUMENTED] ?? {};
}

/** The schema, with a name for generated clients and for readers. */
export function named<S extends TSchema>(name: string, schema: S): S {
  return noted(schema, { name });
}

/**
 * The schema, documented as `said`: where the server takes anything and a rule refuses the rest with a word of its
 * own, or where a value travels as text.
 */
export function documentedAs<S extends TSchema>(schema: S, said: TSchema): S {
  return noted(schema, { schema: said });
}

function noted<S extends TSchema>(schema: S, documented: Documented): S {
  const value = { ...documentedOf(schema), ...documented };
  return Object.defineProperty(schema, DOCUMENTED, { value, configurable: true });
}
