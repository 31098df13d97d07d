import type { Static, TSchema, Type as TypeBox } from 'typebox';

export type { Static, TSchema };

/** What routes are described with. */
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

/** Of an object's fields, those that may be absent; the others are required. */
const optional = new WeakSet<object>();

const simple =
  (type: string) =>
  (options?: Options): object => ({ type, ...options });

/** With what is hidden in it (`documented.ts`). */
const copyOf = (schema: object): object =>
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));

/**
 * JSON Schema by TypeBox's names and with its types, which are all of it that is used: the library itself is 400 files
 * and 13 MB of memory in every process that knows a route. A test compares both (docs/decisions/0025).
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
  /** Of any names: narrower keys are not used. */
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
