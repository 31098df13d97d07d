import type { Static, TSchema, Type as TypeBox } from 'typebox';

export type { Static, TSchema };

/** TypeBox's builders that the routes use. */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>;

type Options = Readonly<Record<string, unknown>>;

/** Schemas that `Optional` marked. An object field with such a schema may be absent; all other fields are required. */
const optional = new WeakSet<object>();

const simple =
  (type: string) =>
  (options?: Options): object => ({ type, ...options });

/**
 * Copies a schema including its non-enumerable properties, because `documented.ts` stores a schema's documentation in
 * such a property.
 */
const copyOf = (schema: object): object =>
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));

/**
 * Builders of JSON Schema with the same names and types as TypeBox. Only TypeBox's types are imported, because the
 * library itself has 400 files and takes 13 MB of memory in every process that loads a route. A test compares the
 * results of both (docs/decisions/0025).
 */
export const Type = {
  Array: (items: object, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: simple('boolean'),
  Integer: simple('integer'),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: simple('null'),
  Number: simple('number'),
  Object: (properties: Readonly<Record<string, object>>, options?: Options) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] as object));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
  Optional: (schema: object) => {
    const copy = copyOf(schema);
    optional.add(copy);
    return copy;
  },
  /**
   * Schema of an object with arbitrary keys. The key schema is ignored, because no route restricts the names of keys.
   */
  Record: (_key: object, value: object, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: simple('string'),
  Union: (anyOf: readonly object[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: copyOf,
} as unknown as Builders;
