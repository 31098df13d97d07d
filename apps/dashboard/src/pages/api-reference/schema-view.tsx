import { texts } from '../../texts/en.ts';
import type { Schema } from './open-api.ts';

/** Describes a schema in words, with a list of its fields below. */
export function SchemaView({ schema }: { schema: Schema }) {
  const fields = fieldsOf(schema);
  return (
    <>
      <span class="schema-type">{typeText(schema)}</span>
      {schema.description !== undefined && <p class="hint">{schema.description}</p>}
      {fields.length > 0 && (
        <dl class="schema">
          {fields.map(({ name, isRequired, of }) => (
            <div key={name}>
              <dt>
                <code>{name}</code> {!isRequired && <span class="soft">{texts.apiReference.optional}</span>}
              </dt>
              <dd>
                <SchemaView schema={of} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

interface FieldOfSchema {
  readonly name: string;
  readonly isRequired: boolean;
  readonly of: Schema;
}

/**
 * Returns the fields of an object schema. For a list or a choice of schemas, returns the fields of the objects in it.
 */
function fieldsOf(schema: Schema): readonly FieldOfSchema[] {
  if (schema.items !== undefined) return fieldsOf(schema.items);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap(fieldsOf);
  const { properties = {}, required = [], additionalProperties, patternProperties = {} } = schema;
  const named = Object.entries(properties).map(([name, of]) => ({
    name,
    isRequired: required.includes(name),
    of,
  }));
  const rest = [
    ...Object.values(patternProperties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ].map((of) => ({ name: `<${texts.apiReference.anyName}>`, isRequired: false, of }));
  return [...named, ...rest];
}

/** @returns the type of a schema in words, such as `list of object`, `string or null` or `one of "a", "b"` */
export function typeText(schema: Schema): string {
  const words = texts.apiReference;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(` ${words.or} `);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return `${words.oneOf} ${schema.enum.map((each) => JSON.stringify(each)).join(', ')}`;
  if (schema.format === 'binary') return words.file;
  if (schema.items !== undefined) return withLimits(`${words.listOf} ${typeText(schema.items)}`, schema);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [words.anything]);
  return withLimits(types.join(` ${words.or} `), schema);
}

function withLimits(
  text: string,
  { format, pattern, minLength, maxLength, minItems, maxItems }: Schema,
): string {
  const { limits } = texts.apiReference;
  const said = [
    minLength === undefined ? undefined : limits.minLength(minLength),
    maxLength === undefined ? undefined : limits.maxLength(maxLength),
    minItems === undefined ? undefined : limits.minItems(minItems),
    maxItems === undefined ? undefined : limits.maxItems(maxItems),
    pattern === undefined ? undefined : limits.pattern(pattern),
  ].filter((each) => each !== undefined);
  return [format === undefined ? text : `${text} (${format})`, ...said].join(', ');
}
