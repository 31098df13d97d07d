import { documentedOf, type TSchema } from '../index.ts';

/** A schema in the form of the OpenAPI document: JSON Schema 2020-12, with references to named schemas. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';

/** Collects the named schemas of the document while the operations that refer to them are written. */
export class ComponentSchemas {
  readonly #written = new Map<string, JsonSchema>();
  readonly #sources = new Map<string, unknown>();

  /**
   * Converts a schema and adds it to the named schemas if it has a name. `name` is the name for an object schema that
   * has no name of its own.
   */
  write(schema: TSchema, name?: string): JsonSchema {
    const { name: given = isObject(schema) ? name : undefined, schema: said } = documentedOf(schema);
    if (given === undefined) return said === undefined ? this.#shape(schema) : this.write(said, name);
    const known = this.#sources.get(given);
    const source = (schema as { properties?: unknown }).properties ?? JSON.stringify(schema);
    if (known === undefined) {
      this.#sources.set(given, source);
      this.#written.set(given, said === undefined ? this.#shape(schema) : this.write(said));
    } else if (known !== source) throw new Error(`two schemas are named ${given}`);
    return { $ref: `${PREFIX}${given}` };
  }

  add(name: string, schema: JsonSchema): JsonSchema {
    this.#written.set(name, schema);
    return { $ref: `${PREFIX}${name}` };
  }

  /**
   * Returns the schema to which a reference leads, with its name. A schema that is not a reference is returned
   * unchanged.
   */
  resolve(schema: JsonSchema): { readonly name: string | undefined; readonly schema: JsonSchema } {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return { name: undefined, schema };
    const name = $ref.slice(PREFIX.length);
    const found = this.#written.get(name);
    if (found === undefined) throw new Error(`no schema is named ${name}`);
    return { name, schema: found };
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #shape(schema: TSchema): JsonSchema {
    const shape: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties')
        shape.properties = mapValues<TSchema, JsonSchema>(value, (each) => this.write(each));
      else if (key === 'items') shape.items = this.write(value as TSchema);
      else if (key === 'anyOf') shape.anyOf = (value as TSchema[]).map((each) => this.write(each));
      // The schema describes an object with arbitrary keys.
      else if (key === 'patternProperties') shape.additionalProperties = true;
      else shape[key] = value;
    }
    return { ...shape, ...documentedOf(schema).rule };
  }
}

function isObject(schema: TSchema): boolean {
  return (schema as { type?: unknown }).type === 'object';
}

function mapValues<T, U>(values: unknown, change: (value: T) => U): Record<string, U> {
  const entries = Object.entries(values as Record<string, T>);
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));
}
