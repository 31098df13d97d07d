import { missing, NO_SCOPES, scopeList } from '@svc/auth-core';
import {
  anyRole,
  anyScopeSet,
  callerOf,
  NOON,
  outcomeOf,
  refusalOf,
  subsetsOf,
} from '@svc/auth-core/testing';
import { ROLES, type Role, SCOPES, type Scope } from '@svc/contract';
import { parseInstant } from '@svc/module';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { checkName } from '../src/rules/name.ts';
import { grantedExpiry } from '../src/tokens/granted-expiry.ts';
import {
  apiKeyScopes,
  profileCeiling,
  profileDefault,
  profileTokenScopes,
} from '../src/tokens/issue-api-token.ts';

const DEFAULTS: Record<Role, Scope[]> = {
  Member: ['read', 'sessions'],
  Admin: ['read', 'sessions', 'devices'],
  'Super admin': ['admin'],
};

describe('scopes of Profile tokens', () => {
  test.each([
    ['Member', ['read', 'sessions'], ['read', 'sessions']],
    ['Admin', ['read', 'sessions', 'devices'], ['read', 'sessions', 'devices']],
    ['Super admin', ['admin'], [...SCOPES]],
  ] as const)(
    'the role %s has default scopes and a ceiling for its Profile tokens (contract 3.1)',
    (role, onProfile, ceiling) => {
      expect(scopeList(profileDefault(role))).toEqual(onProfile);
      expect(scopeList(profileCeiling(role))).toEqual(ceiling);
    },
  );

  test.each(ROLES)(
    '%s: omitted means all of the role, which the credential must hold (spec 5.2.1, 2 Token)',
    (role) => {
      for (const held of subsetsOf(SCOPES)) {
        const caller = callerOf(role, held);
        const covered = missing(callerOf(role, DEFAULTS[role]).scopes, caller.scopes) === NO_SCOPES;
        for (const asked of [undefined, []]) {
          expect(outcomeOf(() => scopeList(profileTokenScopes(asked, caller)))).toEqual(
            covered ? DEFAULTS[role] : 'scope_exceeds_credential',
          );
        }
      }
    },
  );

  it('named ones are within the ceiling of the role and within the credential, or refused (spec 5.2.1)', () => {
    const asked = fc.subarray([...SCOPES], { minLength: 1 });
    fc.assert(
      fc.property(anyRole, anyScopeSet, asked, (role, granted, scopes) => {
        const caller = callerOf(role, granted);
        const ceiling = scopeList(profileCeiling(role));
        const held = scopeList(caller.scopes);
        const fits = scopes.every(
          (scope) => ceiling.includes(scope) && (held.includes(scope) || held.includes('admin')),
        );
        expect(outcomeOf(() => scopeList(profileTokenScopes(scopes, caller)))).toEqual(
          fits ? scopes : 'scope_exceeds_credential',
        );
      }),
    );
  });

  it('a request for scopes beyond the role or the credential gets 400, which names the offending scopes (spec 5.2.1, 7)', () => {
    const member = callerOf('Member', ['sessions', 'devices']);
    expect(refusalOf(() => profileTokenScopes(['sessions', 'devices', 'read'], member))).toMatchObject({
      code: 'scope_exceeds_credential',
      status: 400,
      fields: { scopes: ['read', 'devices'] },
    });
  });

  it('a word that is no API scope is 400 unknown_scope, before exceeding (contract 2, /profile/tokens)', () => {
    const refusal = refusalOf(() =>
      profileTokenScopes(['admin', 'auto:use', 'Read', ''], callerOf('Member')),
    );
    expect(refusal).toMatchObject({
      code: 'unknown_scope',
      status: 400,
      fields: { scopes: ['auto:use', 'Read', ''] },
    });
  });
});

describe('scopes of API keys', () => {
  it('any of the four, within the credential used (spec 2 API key)', () => {
    const asked = fc.subarray([...SCOPES], { minLength: 1 });
    fc.assert(
      fc.property(
        fc.constantFrom<Role>('Admin', 'Super admin'),
        anyScopeSet,
        asked,
        (role, granted, scopes) => {
          const caller = callerOf(role, granted);
          const held = scopeList(caller.scopes);
          const fits = held.includes('admin') || scopes.every((scope) => held.includes(scope));
          expect(outcomeOf(() => scopeList(apiKeyScopes(scopes, caller)))).toEqual(
            fits ? scopes : 'scope_exceeds_credential',
          );
        },
      ),
    );
  });

  it('a scope outside the four is 400 (spec 4, POST /apikeys)', () => {
    expect(refusalOf(() => apiKeyScopes(['read', 'svc:recordings'], callerOf('Admin')))).toMatchObject({
      code: 'unknown_scope',
      status: 400,
    });
  });

  it('a key without scopes is refused (contract 2, POST /apikeys)', () => {
    expect(refusalOf(() => apiKeyScopes([], callerOf('Admin')))).toMatchObject({
      code: 'bad_request',
      status: 400,
    });
  });
});

describe('expiry', () => {
  const bounded = callerOf('Member', undefined, { grantsUntil: NOON + 60_000 });
  const unbounded = callerOf('Member');
  const iso = (at: number) => new Date(at).toISOString();

  it('omitted inherits: never from a credential without expiry, else that expiry (spec 5.2.2)', () => {
    expect(grantedExpiry(undefined, unbounded, NOON)).toBeNull();
    expect(grantedExpiry(undefined, bounded, NOON)).toBe(NOON + 60_000);
  });

  it('null asks for never and is refused when the credential expires (contract 2, /profile/tokens)', () => {
    expect(grantedExpiry(null, unbounded, NOON)).toBeNull();
    expect(refusalOf(() => grantedExpiry(null, bounded, NOON)).code).toBe('expiry_exceeds_credential');
  });

  it('later than the credential is 400, the same moment is fine (spec 5.2.3)', () => {
    expect(grantedExpiry(iso(NOON + 60_000), bounded, NOON)).toBe(NOON + 60_000);
    expect(refusalOf(() => grantedExpiry(iso(NOON + 60_001), bounded, NOON))).toMatchObject({
      code: 'expiry_exceeds_credential',
      status: 400,
    });
  });

  it('the past and this very moment are 400 invalid_expiry (contract 2, /profile/tokens)', () => {
    for (const at of [NOON, NOON - 1, 0]) {
      expect(refusalOf(() => grantedExpiry(iso(at), unbounded, NOON))).toMatchObject({
        code: 'invalid_expiry',
        status: 400,
      });
    }
    expect(grantedExpiry(iso(NOON + 1), unbounded, NOON)).toBe(NOON + 1);
  });

  it('a token never outlives its source, whatever expiry is requested (spec 5.2.2, 5.2.3)', () => {
    const asked = fc.option(
      fc.oneof(
        fc.constant(null),
        fc.integer({ min: -1000, max: 200_000 }).map((ms) => iso(NOON + ms)),
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 100_000 }), (input, left) => {
        const caller = callerOf('Member', undefined, { grantsUntil: NOON + left });
        const outcome = outcomeOf(() => grantedExpiry(input, caller, NOON));
        if (typeof outcome === 'number') expect(outcome).toBeLessThanOrEqual(NOON + left);
        else expect(['expiry_exceeds_credential', 'invalid_expiry']).toContain(outcome);
      }),
    );
  });

  it('the expiry of a token is read from ISO 8601 instants in any offset (contract 2, expiresAt)', () => {
    expect(parseInstant('2030-01-01T12:00:00.000Z')).toBe(NOON);
    expect(parseInstant('2030-01-01T12:00:00Z')).toBe(NOON);
    expect(parseInstant('2030-01-01T12:00Z')).toBe(NOON);
    expect(parseInstant('2030-01-01T14:30:00+02:30')).toBe(NOON);
    expect(parseInstant('2030-01-01T07:00:00-05:00')).toBe(NOON);
    expect(parseInstant('2030-01-01')).toBe(Date.UTC(2030, 0, 1));
    expect(parseInstant('2028-02-29T00:00:00Z')).toBe(Date.UTC(2028, 1, 29));
  });

  it('the expiry of a token is read back from every instant that the wire writes (contract 2, expiresAt)', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(9999, 11, 31) }), (at) => {
        expect(parseInstant(iso(at))).toBe(at);
      }),
    );
  });

  test.each([
    ...['', ' ', 'never', 'tomorrow', '0', '1893456000000', 'NaN', 'Infinity', 'P30D', '[object Object]'],
    ...['2030', '2030-01', '2030-1-1', '01/01/2030', 'Tue, 01 Jan 2030 12:00:00 GMT', '20300101T120000Z'],
    ...['2030-01-01T12:00:00', '2030-01-01 12:00:00Z', '2030-01-01t12:00:00z', '2030-01-01T12Z'],
    ...['2030-02-30', '2029-02-29', '2030-13-01', '2030-00-10', '2030-01-00', '2030-04-31T00:00:00Z'],
    ...['2030-01-01T25:00:00Z', '2030-01-01T12:60:00Z', '2030-01-01T12:00:61Z', '2030-01-01T12:00:00+24:00'],
    ...[
      '2030-01-01T12:00:00.Z',
      '2030-01-01T12:00:00+0200',
      '2030-01-01T12:00:00Z ',
      ' 2030-01-01T12:00:00Z',
    ],
    ...[
      '2030-01-01T12:00:00Z\n',
      '+002030-01-01T12:00:00Z',
      '-2030-01-01T12:00:00Z',
      '２０３０-01-01T12:00:00Z',
    ],
  ])('%j is not ISO 8601 (contract 2, expiresAt)', (text) => {
    expect(parseInstant(text)).toBeNull();
    expect(refusalOf(() => grantedExpiry(text, unbounded, NOON)).code).toBe('invalid_expiry');
  });
});

describe('names', () => {
  it('the rule for names of tokens trims, counts characters, allows any script (contract 2, invalid_name)', () => {
    expect(checkName('  CI nightly ')).toBe('CI nightly');
    expect(checkName('夜間ビルド')).toBe('夜間ビルド');
    expect(checkName('🔑'.repeat(100))).toBe('🔑'.repeat(100));
  });

  test.each([
    ['empty', ''],
    ['blank', ' \t '],
    ['101 characters', 'x'.repeat(101)],
    ['a line break', 'a\nb'],
    ['a NUL', 'a\0b'],
    ['an escape sequence', '\u001b[31mred'],
    ['a line separator', 'a\u2028b'],
  ])('the rule for names of tokens refuses %s (contract 2, invalid_name)', (_, name) => {
    expect(refusalOf(() => checkName(name))).toMatchObject({ code: 'invalid_name', status: 400 });
  });
});
