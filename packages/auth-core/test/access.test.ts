import {
  type Access,
  ADMIN,
  ANY_CALLER,
  DEVICES,
  FRESH_SIGN_IN,
  ROLES,
  type Role,
  SCOPES,
  SIGN_IN_ONLY,
  SUPER_ADMIN,
} from '@svc/contract';
import { describe, expect, it } from 'vitest';
import { signInCredential } from '../src/credentials/sign-in.ts';
import { signedCredential } from '../src/credentials/signed-credential.ts';
import { Conflict, Refusal, Unavailable } from '../src/errors.ts';
import { checkAccess, isOverrideAdmin } from '../src/policy/access.ts';
import { checkFresh } from '../src/policy/fresh-sign-in.ts';
import { type Credential, NO_CREDENTIAL } from '../src/principal.ts';
import {
  BEARER,
  callerOf,
  KEY,
  NOON,
  outcomeOf,
  refusalOf,
  SIGN_IN,
  subsetsOf,
} from '../src/testing/support.ts';

describe('access of a route', () => {
  const cells = ROLES.flatMap((role) => subsetsOf(SCOPES).map((held) => ({ role, held })));
  const check = (role: Role, held: (typeof SCOPES)[number][], wanted: Access) =>
    outcomeOf(() => checkAccess(callerOf(role, held), wanted));
  const atLeastAdmin = (role: Role) => role !== 'Member';

  it('the access rule of a route needs the role, then the scope (contract 2, Admin + admin)', () => {
    for (const { role, held } of cells) {
      const expected = !atLeastAdmin(role)
        ? 'insufficient_role'
        : held.includes('admin')
          ? undefined
          : 'insufficient_scope';
      expect(check(role, held, ADMIN), `${role} with ${held}`).toBe(expected);
    }
  });

  it('the access rule of a route needs the Super admin, then the scope (contract 3.3, settings)', () => {
    for (const { role, held } of cells) {
      const expected =
        role !== 'Super admin'
          ? 'insufficient_role'
          : held.includes('admin')
            ? undefined
            : 'insufficient_scope';
      expect(check(role, held, SUPER_ADMIN), `${role} with ${held}`).toBe(expected);
    }
  });

  it('the access rule of a route needs devices, or admin that still counts (contract 3.3, /control)', () => {
    for (const { role, held } of cells) {
      const counts = held.includes('devices') || (held.includes('admin') && atLeastAdmin(role));
      expect(check(role, held, DEVICES), `${role} with ${held}`).toBe(
        counts ? undefined : 'insufficient_scope',
      );
    }
  });

  it('reads need no scope (contract 3.3)', () => {
    for (const { role, held } of cells) expect(check(role, held, ANY_CALLER)).toBeUndefined();
  });

  it('the access rule of a route names what is required (contract 1)', () => {
    expect(refusalOf(() => checkAccess(callerOf('Member'), ADMIN))).toMatchObject({
      code: 'insufficient_role',
      status: 403,
      fields: { required: 'Admin' },
    });
    expect(refusalOf(() => checkAccess(callerOf('Admin', ['read']), ADMIN))).toMatchObject({
      code: 'insufficient_scope',
      status: 403,
      fields: { required: 'admin' },
    });
  });

  it('a route for sign-ins takes no key and no bearer token (contract 2, /auth/sign-ins)', () => {
    const kinds: [Credential, string | undefined][] = [
      [SIGN_IN, undefined],
      [NO_CREDENTIAL, undefined],
      [KEY, 'sign_in_required'],
      [BEARER, 'sign_in_required'],
      [signedCredential('session-token', 's'), 'sign_in_required'],
    ];
    for (const [credential, expected] of kinds) {
      const caller = callerOf('Super admin', undefined, { credential });
      expect(outcomeOf(() => checkAccess(caller, SIGN_IN_ONLY))).toBe(expected);
    }
  });

  it('a sign-in is fresh for 10 minutes after it was proved, and no key or token is (contract 10 fresh sign-in)', () => {
    const proved = (provenAt: number | null) => signInCredential('s', { limited: false, provenAt });
    const table: [Credential, number, string | undefined][] = [
      [proved(NOON), NOON, undefined],
      [proved(NOON), NOON + 599_999, undefined],
      [proved(NOON), NOON + 600_000, 'fresh_sign_in_required'],
      [proved(null), NOON, 'fresh_sign_in_required'],
      [signInCredential('s', { limited: true }), NOON, 'fresh_sign_in_required'],
      [NO_CREDENTIAL, NOON, undefined],
      [KEY, NOON, 'fresh_sign_in_required'],
      [BEARER, NOON, 'fresh_sign_in_required'],
    ];
    for (const [credential, now, expected] of table) {
      const caller = callerOf('Super admin', undefined, { credential });
      const check = (access: Access) =>
        outcomeOf(() => {
          checkAccess(caller, access);
          checkFresh(caller, access, now);
        });
      expect(check(FRESH_SIGN_IN), `${credential.kind} ${credential.provenAt} at ${now}`).toBe(expected);
      expect(check(ANY_CALLER)).toBeUndefined();
    }
  });

  it('override admin: a Super admin with any credential, anyone else by effective admin (contract 3.4)', () => {
    for (const { role, held } of cells) {
      expect(isOverrideAdmin(callerOf(role, held)), `${role} with ${held}`).toBe(
        role === 'Super admin' || (role === 'Admin' && held.includes('admin')),
      );
    }
  });
});

describe('errors that are answers', () => {
  it('errors that are answers carry the status of the table and no stack', () => {
    const limit = Error.stackTraceLimit;
    const refusal = new Refusal('invalid token', 'bearer token: expired');
    expect(refusal).toMatchObject({ status: 401, reason: 'bearer token: expired', fields: {} });
    for (const error of [refusal, new Unavailable('x', new Error('cause')), new Conflict('x')]) {
      expect(error.stack?.split('\n').filter((line) => line.trim().startsWith('at '))).toEqual([]);
    }
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new Unavailable('x', 'why').cause).toBe('why');
  });
});
