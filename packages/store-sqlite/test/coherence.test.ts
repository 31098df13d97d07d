import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountTransaction } from '@svc/accounts';
import {
  autocommit,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleEntry,
  sampleSignIn,
} from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { eachTestItsPlace } from './place.ts';
import { finished, startStore } from './processes/start.ts';

const place = eachTestItsPlace();

function furnish(store: SqliteStore): void {
  autocommit(store).accounts.insert(sampleAccount('ann'));
  autocommit(store).apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
  autocommit(store).signIns.insert(sampleSignIn('web', 'ann'), hashOf('web'));
  autocommit(store).settings.save(new Map([['a', 1]]));
}

function remembered(store: SqliteStore) {
  return {
    account: store.accounts.byAccessKey('svc_ann'),
    token: store.apiTokens.byHash(hashOf('ci')),
    signIn: store.signIns.byHash(hashOf('web')),
    settings: store.settings.all().get('a'),
  };
}

it('a store asks again for nothing it remembers while nobody else writes', async () => {
  const store = await place().open();
  furnish(store);
  const { account, token, signIn } = remembered(store);
  expect(store.accounts.byId(idOf('ann'))).toBe(account);
  expect(store.apiTokens.byId(idOf('ci'))).toBe(token);
  expect(store.signIns.byHash(hashOf('web'))).toBe(signIn);
  autocommit(store).audit.append(sampleEntry('anything'));
  expect(store.accounts.byAccessKey('svc_ann')).toBe(account);
});

it('a store sees at its very next read what another process changed', async () => {
  const store = await place().open();
  furnish(store);
  expect(remembered(store)).toMatchObject({ account: { role: 'Member' }, token: {}, signIn: {} });
  const change = { promote: idOf('ann'), revoke: idOf('ci'), end: idOf('ann') };
  await finished(startStore('change', place().file, JSON.stringify(change)));
  expect(remembered(store)).toMatchObject({
    account: { role: 'Admin' },
    token: undefined,
    signIn: undefined,
  });
  expect(store.apiTokens.byId(idOf('ci'))).toBeUndefined();
  expect(store.signIns.byId(idOf('web'))).toBeUndefined();
});

it('a store sees every kind of change of another connection, at the next turn of the event loop', async () => {
  const [one, other] = [await place().open(), await place().open()];
  furnish(one);
  expect(remembered(other)).toEqual(remembered(one));
  const changes: ((tx: AccountTransaction) => void)[] = [
    (tx) => tx.accounts.update(idOf('ann'), { status: 'Inactive' }),
    (tx) => tx.teams.insert({ id: 'lab', name: 'Lab' }),
    (tx) => tx.teams.addMember('lab', idOf('ann')),
    (tx) => tx.teams.remove('lab'),
    (tx) => tx.settings.save(new Map([['a', 2]])),
    (tx) => tx.apiTokens.setRateLimit(idOf('ci'), 1),
    (tx) => tx.apiTokens.revoke(idOf('ci')),
    (tx) => tx.signIns.end(idOf('web')),
    (tx) => tx.accounts.remove(idOf('ann')),
  ];
  for (const [turn, change] of changes.entries()) {
    const [writer, reader] = turn % 2 === 0 ? [one, other] : [other, one];
    const before = JSON.stringify(remembered(reader));
    const version = reader.version();
    writer.transaction(change);
    await nextTurn();
    expect(reader.version() === version).toBe(false);
    expect(remembered(reader)).toEqual(remembered(writer));
    expect(JSON.stringify(remembered(reader)) === before).toBe(turn === 1);
  }
});

it('a store keeps its version while keys are used and sign-ins slide', async () => {
  const store = await place().open();
  furnish(store);
  remembered(store);
  const before = store.version();
  store.apiTokens.touch(idOf('ci'), 5);
  store.signIns.extend(idOf('web'), 5, 700_000);
  store.flush();
  autocommit(store).audit.append(sampleEntry('anything'));
  autocommit(store).accounts.insert(sampleAccount('bob'));
  await nextTurn();
  expect(store.version()).toBe(before);
  expect(remembered(store)).toMatchObject({ token: { lastUsedAt: 5 }, signIn: { expiresAt: 700_000 } });
});

it('a transaction works on the current rows, not on cached ones', async () => {
  const [one, other] = [await place().open(), await place().open()];
  furnish(one);
  expect(one.accounts.countActive('Member')).toBe(1);
  expect(remembered(one).account?.status).toBe('Active');
  autocommit(other).accounts.update(idOf('ann'), { status: 'Inactive' });
  one.transaction(() => expect(one.accounts.byId(idOf('ann'))?.status).toBe('Inactive'));
});

it('a store spends a mark once, whatever caller presents it (contract 4, tickets)', async () => {
  const [one, other] = [await place().open(), await place().open()];
  expect([
    autocommit(one).replay.spend('t', 9),
    autocommit(other).replay.spend('t', 9),
    autocommit(one).replay.spend('t', 9),
  ]).toEqual([true, false, false]);
});

it('stores of several processes keep one audit chain when they append at the same time', {
  timeout: 30_000,
}, async () => {
  const store = await place().open();
  const others = ['a', 'b'].map(() => finished(startStore('audit', place().file, '40')));
  for (let row = 0; row < 40; row += 1) autocommit(store).audit.append(sampleEntry(`ours ${row}`));
  await Promise.all(others);
  expect(store.audit.page(null, 200)).toHaveLength(120);
  expect(store.audit.check().problem).toBeNull();
});

it('a store tells where the audit chain was changed, also if only an id was (contract 2, /audit)', async () => {
  const store = await place().open();
  for (let row = 1; row <= 5; row += 1)
    autocommit(store).audit.append(sampleEntry(`row ${row}`, { actor: `a${row}` }));
  const raw = place().raw();
  raw.exec("update audit set actor = 'nobody' where number = 4");
  expect(store.audit.check().problem).toContain(idOf('row 4'));
  // The check has stopped at the problem and has closed its read transaction, so this write succeeds.
  autocommit(store).audit.append(sampleEntry('row 6'));
  raw.exec("update audit set actor = 'a4' where number = 4");
  expect(store.audit.check().problem).toBeNull();
  raw.exec(`update audit set id = '${idOf('other')}' where number = 3`);
  expect(store.audit.check().problem).toContain(idOf('other'));
  raw.exec(`update audit set id = '${idOf('row 3')}' where number = 3`);
  raw.exec('delete from audit where number = 2');
  expect(store.audit.check().problem).toContain(idOf('row 3'));
});
