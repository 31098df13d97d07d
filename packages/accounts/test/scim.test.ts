import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../src/scim/filter.ts';
import { readPatch } from '../src/scim/patch.ts';
import { projectionOf } from '../src/scim/projection.ts';
import { ScimRefusal } from '../src/scim/scim-refusal.ts';
import { readUser } from '../src/scim/user-body.ts';

/** @returns the error type of the refusal that `work` throws; every other error fails the test */
function typeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof ScimRefusal) return error.scimType;
    throw error;
  }
  return undefined;
}

const SCIM_TYPES = [
  undefined,
  'invalidFilter',
  'invalidPath',
  'invalidSyntax',
  'invalidValue',
  'mutability',
  'noTarget',
];

describe('filters', () => {
  it('filters of SCIM find every text that JSON can quote (contract 10.5)', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 100 }),
        fc.constantFrom('userName', 'externalId'),
        (value, attribute) => {
          expect(parseFilter(`${attribute} eq ${JSON.stringify(value)}`)).toEqual({ attribute, value });
        },
      ),
    );
  });

  it('filters of SCIM are refused or understood, whatever they are (contract 10.5)', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.string().map((text) => `userName eq "${text}"`),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect([undefined, 'invalidFilter']).toContain(typeOf(() => parseFilter(text)));
      }),
    );
  });

  it('long SCIM filters take no more than linear time', () => {
    for (const text of [
      `userName eq "${'\\'.repeat(900)}`,
      `${' '.repeat(990)}x`,
      `userName${' '.repeat(900)}eq`,
    ])
      expect(typeOf(() => parseFilter(text))).toBe('invalidFilter');
  });
});

describe('bodies', () => {
  it('bodies of SCIM are refused or understood, whatever they are (contract 10.5)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        for (const read of [readUser, readPatch]) expect(SCIM_TYPES).toContain(typeOf(() => read(body)));
      }),
    );
  });

  it('SCIM bodies with any operations are either refused or understood (contract 10.5)', () => {
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'Replace', 'REMOVE', 'x', 1),
        path: fc.oneof(
          fc.constantFrom('active', 'userName', 'displayName', 'externalId', 'name.x', ''),
          fc.string(),
        ),
        value: fc.jsonValue(),
      },
      { requiredKeys: ['op'] },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), (Operations) => {
        expect(SCIM_TYPES).toContain(typeOf(() => readPatch({ Operations })));
      }),
    );
  });

  it('bodies of SCIM say what counts last, and null and an empty list mean no value (RFC 7643 2.5, contract 10.5)', () => {
    const patch = (...Operations: object[]) => readPatch({ Operations });
    expect(
      patch(
        { op: 'add', path: 'active', value: true },
        { op: 'replace', value: { active: 'False', displayName: 'x' } },
        { op: 'replace', path: 'displayName', value: [] },
      ),
    ).toEqual({ active: false, displayName: null });
    expect(readUser({ userName: 'a@lab.test', active: null, externalId: null })).toEqual({
      ...{ userName: 'a@lab.test', externalId: null, displayName: undefined },
    });
    expect(readUser({ USERNAME: 'a@lab.test', name: { givenName: 'A', familyName: 'B' } }).displayName).toBe(
      'A B',
    );
  });
});

it('a projection never adds anything and keeps the id (contract 10)', () => {
  const resource = { schemas: ['x'], id: '1', name: { formatted: 'A' }, emails: [{ value: 'a', type: 'b' }] };
  const names = fc.array(fc.constantFrom('id', 'name', 'emails.value', 'NAME.formatted', 'x', ''), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(names, fc.boolean(), (chosen, isExcluded) => {
      const text = chosen.join(',');
      const shown = (isExcluded ? projectionOf(undefined, text) : projectionOf(text, undefined))(resource);
      expect(shown).toMatchObject({ schemas: ['x'], id: '1' });
      for (const key of Object.keys(shown)) expect(resource).toHaveProperty(key);
    }),
  );
});
