import { maySee } from '@svc/auth-core';
import { accountOf, callerOf } from '@svc/auth-core/testing';
import { ROLES } from '@svc/contract';
import { describe, expect, it } from 'vitest';
import { visibleTo } from '../src/rules/change-user.ts';

describe('whom a caller sees (contract 2, /users)', () => {
  it.each(ROLES.flatMap((role) => ROLES.map((of) => [role, of] as const)))(
    'a %s and a %s: one by one as in a list',
    (role, of) => {
      const caller = callerOf(role);
      for (const target of [accountOf(of), accountOf(of, { id: caller.account.id })]) {
        const { roles, self } = visibleTo(caller);
        expect(roles.includes(target.role) || target.id === self).toBe(maySee(caller, target));
      }
    },
  );
});
