import { type Caller, LOCAL_ORIGIN, scopeSet } from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { NO_RECORDING_OPTIONS, type SessionCredentials, type SessionOptions } from '@svc/device-lab';
import { failureLines, refusalLines } from '@svc/module';
import { expect, it } from 'vitest';
import { type AdmissionOptions, SessionAdmission } from '../src/admission.ts';

const ana = { account: { id: 'ana', role: 'Member' }, scopes: 0xff, expiresAt: null } as unknown as Caller;
const both: SessionCredentials = { pair: { accessKey: 'k', token: 't' }, sessionToken: 's' };

const member = { ...ana, scopes: scopeSet(['sessions', 'devices']) };
const boss = { ...ana, scopes: scopeSet(['sessions', 'admin']) };

function admit(given: Partial<SessionCredentials>, input: Partial<SessionOptions> = {}, owner = ana) {
  const log = silentLog();
  const clock = fakeClock(0);
  const authenticator = {
    authenticate: () => owner,
    authenticateSessionToken: () => Promise.reject(new Error('the key is gone')),
  } as unknown as AdmissionOptions['authenticator'];
  const teams = { byId: () => undefined, byName: () => undefined };
  const admission = new SessionAdmission({
    authenticator,
    teams,
    warnings: refusalLines(log, clock),
    failures: failureLines(log, clock),
    credentialsRequired: false,
    fromHub: null,
    authDisabled: false,
  });
  const taken = {
    credentials: { pair: null, sessionToken: null, ...given },
    input: {
      team: null,
      healingTiers: null,
      lease: null,
      recording: NO_RECORDING_OPTIONS,
      queueSeconds: null,
      keep: false,
      unusable: null,
      ...input,
    },
  };
  return { log, admitted: admission.admit(taken, LOCAL_ORIGIN) };
}

it('a valid pair decides though the session token beside it cannot be checked (spec 5.4.2)', async () => {
  expect((await admit(both).admitted).caller).toBe(ana);
  await expect(admit({ sessionToken: 's' }).admitted).rejects.toMatchObject({ w3cStatus: 503 });
});

it('healing tiers that are no tiers run as 1, 2, 3, and the log says so (spec 9.2)', async () => {
  const { log, admitted } = admit(both, { healingTiers: 'unusable' });
  expect((await admitted).healingTiers).toEqual([1, 2, 3]);
  expect(log.messages('warn')).toEqual([expect.stringContaining('healingTiers')]);
});

it('keep leaves a phone unchanged for an override admin and has no effect for others (contract 17.3)', async () => {
  expect((await admit(both, { keep: true }, member).admitted).keep).toBe(false);
  expect((await admit({}, { keep: true }).admitted).keep).toBe(false);
  expect((await admit(both, { keep: true }, boss).admitted).keep).toBe(true);
  expect((await admit(both, {}, boss).admitted).keep).toBe(false);
  await expect(
    admit(both, { unusable: 'svc:options.keep: must be true or false' }, boss).admitted,
  ).rejects.toMatchObject({
    error: 'invalid argument',
  });
});

it.each([[null], [[2, 1]]])('healing tiers %j stay (spec 9.2)', async (healingTiers) => {
  const { log, admitted } = admit(both, { healingTiers });
  expect((await admitted).healingTiers).toEqual(healingTiers);
  expect(log.entries).toEqual([]);
});
