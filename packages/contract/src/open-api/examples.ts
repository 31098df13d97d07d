import { BY_FORMAT, EXAMPLES } from './example-values.ts';
import type { ComponentSchemas, JsonSchema } from './schemas.ts';

/**
 * Returns an example that fits the schema: the value in `EXAMPLES` for the field or schema, or otherwise the simplest
 * value of its type.
 */
export function exampleOf(schemas: ComponentSchemas, schema: JsonSchema, field = '', owner = ''): unknown {
  const { name, schema: shape } = schemas.resolve(schema);
  for (const key of [name, `${owner}.${field}`])
    if (key !== undefined && key in EXAMPLES) return EXAMPLES[key];
  const choices = shape.anyOf as readonly JsonSchema[] | undefined;
  if (choices !== undefined && EXAMPLES[field] === null) return null;
  if (choices !== undefined) return exampleOf(schemas, choices[0] as JsonSchema, field, owner);
  if (shape.const !== undefined) return shape.const;
  const words = shape.enum as readonly unknown[] | undefined;
  if (words !== undefined) return words[0];
  return ofType(schemas, shape, field, name ?? owner);
}

function ofType(schemas: ComponentSchemas, shape: JsonSchema, field: string, owner: string): unknown {
  const types = [(shape.type ?? []) as string | readonly string[]].flat();
  const known = EXAMPLES[field];
  if (known !== undefined && (types.length === 0 || types.includes(typeOf(known)))) return known;
  switch (types[0]) {
    case 'object':
      return ofObject(schemas, shape, owner);
    case 'array':
      return [exampleOf(schemas, shape.items as JsonSchema, field, owner)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return shape.minimum ?? 1;
    case 'string':
      return BY_FORMAT[shape.format as string] ?? 'text';
    default:
      return null;
  }
}

function ofObject(schemas: ComponentSchemas, { properties = {} }: JsonSchema, owner: string) {
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(fields.map(([name, each]) => [name, exampleOf(schemas, each, name, owner)]));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
