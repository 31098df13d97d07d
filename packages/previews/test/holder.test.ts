import { type Caller, NO_CREDENTIAL, scopeSet } from '@svc/auth-core';
import { sampleAccount } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { type HolderLab, refusalToUsePhone } from '../src/remote-adb/holder.ts';

const account = sampleAccount('ana', { role: 'Member' });
const caller = {
  account,
  credential: { ...NO_CREDENTIAL, kind: 'sign-in' },
  scopes: scopeSet(['devices']),
} as unknown as Caller;

const leasedPhone = (elsewhere: { readonly now: boolean }) =>
  ({
    devices: {
      byUdid: (udid: string) => ({ udid, teamId: null }),
      statusOf: () => 'busy',
      isElsewhere: () => elsewhere.now,
      isBlocked: () => false,
      isBeingRead: () => false,
      isBeingCleaned: () => false,
    },
    sessions: { runningOn: () => undefined },
    heldLeases: { on: () => ({ owner: account }) },
  }) as unknown as HolderLab;

it('the holder of a lease may not use a phone while another server of the host holds it (contract 14.8, 16.1)', () => {
  const elsewhere = { now: false };
  const lab = leasedPhone(elsewhere);
  expect(refusalToUsePhone(lab, caller, 'p1')).toBeNull();
  elsewhere.now = true;
  expect(refusalToUsePhone(lab, caller, 'p1')).toBe('another server of the host holds the phone');
});
