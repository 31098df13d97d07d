import { Audit, type Caller, credentialOfKind, scopeSet } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import { OpenConnections } from '@svc/module';
import { labStores, memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AttachAddresses } from '../src/attach/attach-addresses.ts';

const MINUTE = 60_000;

function world() {
  const clock = { time: 0, now: () => clock.time };
  const stores = memoryStores();
  const random = seededRandom(1);
  const log = silentLog();
  const store = labStores().attach;
  const isGood = { now: true };
  const account = sampleAccount('ana');
  stores.transaction((tx) => tx.accounts.insert(account));
  const running = new Map<string, string>([['s1', account.id]]);
  const connections = new OpenConnections({
    authenticator: { stillGood: () => isGood.now },
    ...{ stores, clock, log },
  });
  const lab = {
    onEnd: () => undefined,
    sessions: {
      ownerOf: (id: string) => running.get(id),
      byId: (id: string) => ({ id, ownerId: running.get(id) ?? null }),
    },
  } as never;
  const audit = new Audit(stores, clock, random);
  const open = () =>
    new AttachAddresses({
      ...{ store, lab, stores, connections, audit, clock, random, log },
      authDisabled: false,
    });
  const caller: Caller = {
    account: stores.accounts.byId(account.id) as Caller['account'],
    credential: credentialOfKind('key', 'k1', { apiTokenId: 'k1' }),
    scopes: scopeSet(['read', 'sessions']),
    expiresAt: null,
    grantsUntil: null,
    teamId: null,
    extended: false,
    from: { address: null, peer: null, requestId: null },
  };
  return { clock, store, isGood, running, open, caller };
}

it('an attach address works after a restart as long as its session runs on a node (contract 15.4)', () => {
  const { open, caller, running, store, clock } = world();
  const { secret } = open().create(caller, 's1', 30);
  expect(JSON.stringify(store.rows)).not.toContain(secret);
  const later = open();
  expect(later.find(secret)).toMatchObject({
    sessionId: 's1',
    caller: { account: { id: caller.account.id } },
  });
  clock.time += 30 * MINUTE;
  expect(later.find(secret)).toBeUndefined();
  clock.time = 0;
  running.delete('s1');
  const last = open();
  expect(last.find(secret)).toBeUndefined();
  last.sweep();
  expect(store.rows.length).toBe(0);
});

it('an attach address does not survive a restart if its credential has ended meanwhile (contract 15.4)', () => {
  const { open, caller, isGood, store } = world();
  const { secret } = open().create(caller, 's1', 30);
  isGood.now = false;
  expect(open().find(secret)).toBeUndefined();
  isGood.now = true;
  expect(open().find(secret)).toBeUndefined();
  expect(store.rows.length).toBe(0);
});

it('an attach address ends after its minutes and no later than the credential that made it (contract 15.4)', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 200 }), (minutes, left) => {
      const { open, caller, clock } = world();
      const addresses = open();
      const limited = { ...caller, grantsUntil: left * MINUTE };
      const { secret, address } = addresses.create(limited, 's1', minutes);
      expect(address.expiresAt).toBe(Math.min(minutes, left) * MINUTE);
      clock.time = address.expiresAt - 1;
      expect(addresses.find(secret)).toBeDefined();
      clock.time = address.expiresAt;
      expect(addresses.find(secret)).toBeUndefined();
      for (const wrong of [secret.slice(0, -1), `${secret}0`, secret.replace('svca_', 'svcl_'), ''])
        expect(addresses.find(wrong)).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});
