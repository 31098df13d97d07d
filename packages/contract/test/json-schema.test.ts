import { Type as TypeBox } from 'typebox';
import { expect, it } from 'vitest';
import { documentedOf, named } from '../src/documented.ts';
import { Type } from '../src/json-schema.ts';

const TEXT = { minLength: 1, description: 'a name', examples: ['ann'] };

/** Builds a schema that uses every builder, some of them nested. */
const schemaOf = (by: typeof Type) =>
  by.Object(
    {
      text: by.String(TEXT),
      count: by.Integer({ minimum: 1 }),
      share: by.Number(),
      on: by.Boolean({ default: false }),
      none: by.Null(),
      word: by.Literal('one'),
      number: by.Literal(1),
      yes: by.Literal(true),
      any: by.Unknown(),
      list: by.Array(by.String(), { maxItems: 3 }),
      either: by.Union([by.String(), by.Null()], { description: 'or not' }),
      byName: by.Record(by.String(), by.Unknown()),
      own: by.Unsafe<string | null>({ type: ['string', 'null'] }),
      maybe: by.Optional(by.String(TEXT)),
      nested: by.Optional(by.Object({ maybe: by.Optional(by.Integer()) })),
    },
    { additionalProperties: false, description: 'all' },
  );

it('builds what TypeBox builds, to the order of its fields', () => {
  expect(JSON.stringify(schemaOf(Type))).toBe(JSON.stringify(schemaOf(TypeBox)));
});

it('a field that is optional in one object is required in another', () => {
  const text = Type.String();
  expect(Type.Object({ a: Type.Optional(text) })).not.toHaveProperty('required');
  expect(Type.Object({ a: text })).toHaveProperty('required', ['a']);
});

it('the JSON schema keeps what is hidden in a schema', () => {
  const text = named('Text', Type.String());
  expect(documentedOf(Type.Optional(text))).toEqual({ name: 'Text' });
  expect(documentedOf(Type.Unsafe(text))).toEqual({ name: 'Text' });
});
