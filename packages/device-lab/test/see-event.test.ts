import { holds, isOverrideAdmin } from '@svc/auth-core';
import { anyRole, anyScopeSet, callerOf } from '@svc/auth-core/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isListed } from '../src/visibility/list-sessions.ts';
import { maySeeDevice } from '../src/visibility/see-device.ts';
import { maySeeEvent } from '../src/visibility/see-event.ts';

const anyCaller = fc.tuple(anyRole, anyScopeSet, fc.boolean()).map(([role, scopes, inTeam]) => {
  const caller = callerOf(role, scopes);
  const teams = inTeam ? [{ id: 'red', name: 'Red' }] : [];
  return { ...caller, account: { ...caller.account, teams } };
});

it('an event is visible to exactly the callers who may see its subject (specification 6, contract 3.4, 3.5)', () => {
  fc.assert(
    fc.property(anyCaller, fc.constantFrom(null, 'red', 'blue'), fc.boolean(), (caller, teamId, own) => {
      const owner = own ? caller.account.id : 'someone else';
      expect(maySeeEvent(caller, { kind: 'session', ownerId: owner })).toBe(isListed(caller, owner));
      expect(maySeeEvent(caller, { kind: 'session', ownerId: null })).toBe(isOverrideAdmin(caller));
      expect(maySeeEvent(caller, { kind: 'device', teamId })).toBe(maySeeDevice(caller, teamId));
      const hidden = { kind: 'hidden device', from: teamId, to: 'green' } as const;
      expect(maySeeEvent(caller, hidden)).toBe(
        caller.account.role === 'Member' && maySeeDevice(caller, teamId),
      );
      expect(maySeeEvent(caller, { ...hidden, to: null })).toBe(false);
      expect(maySeeEvent(caller, { kind: 'account', id: owner })).toBe(own || isOverrideAdmin(caller));
      const isAdmin = caller.account.role !== 'Member' && holds(caller.scopes, 'admin');
      expect(maySeeEvent(caller, { kind: 'admins' })).toBe(isAdmin);
    }),
  );
});
