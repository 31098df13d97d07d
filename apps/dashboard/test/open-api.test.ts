import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { byTag, referenceOf } from '../src/pages/api-reference/open-api.ts';
import { typeText } from '../src/pages/api-reference/schema-view.tsx';

const golden = JSON.parse(
  readFileSync(new URL('../../../tests/golden/openapi.json', import.meta.url), 'utf8'),
);

describe('the API reference', () => {
  const { operations } = referenceOf(golden);

  it('the API reference has every route of the document, each under one heading', () => {
    const paths = [...Object.values(golden.paths), ...Object.values(golden['x-websockets'])];
    const routes = paths.flatMap((methods) => Object.keys(methods as object));
    expect(operations).toHaveLength(routes.length);
    expect(byTag(operations).flatMap(([, group]) => group)).toHaveLength(routes.length);
    expect(operations.find(({ id }) => id === 'createUser')).toMatchObject({
      method: 'POST',
      path: '/svc/api/users',
      body: { mediaType: 'application/json' },
    });
    expect(operations.find(({ id }) => id === 'createUser')?.body?.schema.properties?.role?.enum).toContain(
      'Member',
    );
    expect(operations.find(({ id }) => id === 'removeUser')?.answers[0]).toMatchObject({
      status: '204',
      body: undefined,
    });
    expect(operations.find(({ id }) => id === 'getLiveEvents')?.path).toBe('/svc/api/events');
  });

  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'string', maxLength: 9 }, 'string, at most 9 characters'],
    [{ enum: ['a', 'b'] }, 'one of "a", "b"'],
    [{ type: 'array', items: { type: 'integer' }, maxItems: 3 }, 'list of integer, at most 3 items'],
    [{ anyOf: [{ type: 'object' }, { type: 'null' }] }, 'object or null'],
    [{ const: true }, 'true'],
    [{ type: ['string', 'null'], format: 'date-time' }, 'string or null (date-time)'],
    [{}, 'anything'],
    [{ type: 'string', format: 'binary' }, 'file'],
  ])('the API reference says %j in words', (schema, text) => expect(typeText(schema)).toBe(text));
});
