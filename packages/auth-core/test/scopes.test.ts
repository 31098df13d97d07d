import { MCP_SCOPES, ROLES, type Role, SCOPES, type Scope } from '@svc/contract';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  ALL_SCOPES,
  allowedMcpScopes,
  effectiveScopes,
  expand,
  holds,
  intersect,
  missing,
  NO_SCOPES,
  roleAllowance,
  scopeList,
  scopeSet,
  union,
} from '../src/scopes.ts';
import { anyRole, anyScopeSet, subsetsOf } from '../src/testing/support.ts';

describe('scope sets', () => {
  it('a scope set lists its scopes in the order read, sessions, devices, admin, whatever order they came in (contract 1)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SCOPES)), (scopes) => {
        expect(scopeList(scopeSet(scopes))).toEqual(SCOPES.filter((scope) => scopes.includes(scope)));
      }),
    );
  });

  it('scope sets are told apart in all 16 cases', () => {
    expect(new Set(subsetsOf(SCOPES).map((scopes) => scopeSet(scopes))).size).toBe(16);
  });

  it('scope sets unite and intersect as sets do', () => {
    fc.assert(
      fc.property(anyScopeSet, anyScopeSet, (a, b) => {
        const [inA, inB] = [new Set(scopeList(a)), new Set(scopeList(b))];
        expect(scopeList(union(a, b))).toEqual(SCOPES.filter((scope) => inA.has(scope) || inB.has(scope)));
        expect(scopeList(intersect(a, b))).toEqual(
          SCOPES.filter((scope) => inA.has(scope) && inB.has(scope)),
        );
      }),
    );
  });

  it('a scope set with admin is read as every scope (contract 3.2)', () => {
    for (const scopes of subsetsOf(SCOPES)) {
      const set = scopeSet(scopes);
      for (const scope of SCOPES) {
        expect(holds(set, scope)).toBe(scopes.includes(scope) || scopes.includes('admin'));
      }
      expect(expand(set)).toBe(scopes.includes('admin') ? ALL_SCOPES : set);
    }
  });

  it('a scope set misses exactly what is wanted and not held (contract 3.2)', () => {
    fc.assert(
      fc.property(anyScopeSet, anyScopeSet, (wanted, held) => {
        expect(scopeList(missing(wanted, held))).toEqual(
          scopeList(wanted).filter((scope) => !holds(held, scope)),
        );
      }),
    );
  });
});

describe('roles', () => {
  const WITHOUT_ADMIN: Scope[] = ['read', 'sessions', 'devices'];
  const TABLE: Record<Role, Scope[]> = {
    Member: WITHOUT_ADMIN,
    Admin: [...SCOPES],
    'Super admin': [...SCOPES],
  };

  test.each(ROLES)(
    'a sign-in with the role %s has all scopes that the role allows (contract 3.1)',
    (role) => {
      expect(scopeList(roleAllowance(role))).toEqual(TABLE[role]);
    },
  );

  it('effective scopes never exceed what was granted, nor what the role may hold (contract 3.2)', () => {
    fc.assert(
      fc.property(anyRole, anyScopeSet, (role, granted) => {
        const effective = effectiveScopes(granted, role);
        expect(missing(effective, granted)).toBe(NO_SCOPES);
        expect(intersect(effective, granted)).toBe(effective);
        expect(intersect(effective, roleAllowance(role))).toBe(effective);
        expect(effective).toBe(intersect(granted, roleAllowance(role)));
      }),
    );
  });

  it('admin of a Member counts for nothing, not for three scopes (spec 3, Member was Admin; contract 3.2)', () => {
    for (const scopes of subsetsOf(SCOPES)) {
      const effective = effectiveScopes(scopeSet(scopes), 'Member');
      expect(scopeList(effective)).toEqual(scopes.filter((scope) => scope !== 'admin'));
      expect(holds(effective, 'admin')).toBe(false);
    }
    expect(effectiveScopes(scopeSet(['admin']), 'Member')).toBe(NO_SCOPES);
  });

  it('cuts the same when it cuts twice', () => {
    fc.assert(
      fc.property(anyRole, anyScopeSet, (role, granted) => {
        const once = effectiveScopes(granted, role);
        expect(effectiveScopes(once, role)).toBe(once);
      }),
    );
  });

  it('more API scopes never allow fewer MCP scopes (spec 5.3.4)', () => {
    fc.assert(
      fc.property(anyScopeSet, anyScopeSet, (a, b) => {
        const more = allowedMcpScopes(union(a, b));
        expect(allowedMcpScopes(a).filter((scope) => !more.includes(scope))).toEqual([]);
        expect(more).toEqual(MCP_SCOPES.filter((scope) => more.includes(scope)));
      }),
    );
  });
});
