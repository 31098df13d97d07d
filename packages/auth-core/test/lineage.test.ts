import { memoryStores } from '@svc/store-sqlite/testing';
import { describe, expect, it } from 'vitest';
import { ancestorsOf, withBearerGroup } from '../src/credentials/bearer-group.ts';
import { isRevoked, lineageOf } from '../src/credentials/lineage.ts';
import { Cascade } from '../src/flows/cascade.ts';
import { fakeClock } from '../src/testing/index.ts';
import { BEARER, NOON, refusalOf } from '../src/testing/support.ts';

const revocations = (records: Record<string, boolean>) => ({
  find: (id: string) => (records[id] === undefined ? undefined : { cascades: records[id] }),
});

describe('which revocation ends a token (contract 10.4)', () => {
  const token = { id: 'own', parents: ['key', 'first'], sourceSignIn: null };

  it.each([
    ['nothing', {}, false],
    ['the token itself', { own: false }, true],
    ['its key, without cascade', { key: false }, false],
    ['its key, with cascade', { key: true }, true],
    ['the token between, without cascade', { first: false }, false],
    ['the token between, with cascade', { first: true }, true],
    ['another token', { other: true }, false],
  ])('%s: %s', (_, records, expected) => {
    expect(isRevoked(token, revocations(records))).toBe(expected);
  });

  it('the sign-in of a token of an earlier version, which names no parents', () => {
    const old = { id: 'own', sourceSignIn: 'sign-in' };
    expect(isRevoked(old, revocations({ 'sign-in': true }))).toBe(true);
    expect(isRevoked(old, revocations({ 'sign-in': false }))).toBe(false);
  });
});

it('a token names its line, which has a bound (contract 10.4)', () => {
  expect(lineageOf(BEARER)).toEqual(['b-1']);
  expect(lineageOf({ ...BEARER, parents: ['key'] })).toEqual(['key', 'b-1']);
  expect(lineageOf({ ...BEARER, id: '' })).toEqual([]);
  const far = { ...BEARER, parents: Array.from({ length: 64 }, (_, at) => String(at)) };
  expect(refusalOf(() => lineageOf(far)).code).toBe('bad_request');
});

describe('records of revocations (contract 10.4)', () => {
  const key = { id: 'key', ownerId: 'ann' };
  const open = (always: boolean) => {
    const stores = memoryStores();
    return { stores, cascade: new Cascade({ clock: fakeClock(NOON), always, mcpLifetime: 3600 }) };
  };

  it.each([
    [false, false, []],
    [false, true, ['key']],
    [true, false, ['key']],
  ])('the setting %s and the request %s cascade: %s', (always, asked, ids) => {
    const { stores, cascade } = open(always);
    const ended = stores.transaction((tx) => cascade.keyRevoked(tx, key, asked));
    expect(ended).toBe(ids.length > 0);
    expect(stores.revocations.all().map(({ id }) => id)).toEqual(ids);
  });

  /** Adds records of the account, as so many revocations would. */
  const fill = (stores: ReturnType<typeof memoryStores>, count: number, sourceId: string | null) =>
    stores.transaction((tx) => {
      const row = { accountId: 'ann', cascades: false, expiresAt: 9e12, sourceId };
      for (let at = 0; at < count; at += 1) tx.revocations.add({ ...row, id: `${sourceId ?? ''}${at}` });
    });

  it('the revocation of a key ends no other token, however many bearers are revoked (contract 4)', () => {
    const { stores, cascade } = open(true);
    fill(stores, 10_000, 'sign-in');
    stores.transaction((tx) => cascade.keyRevoked(tx, key, true));
    expect(stores.revocations.find('key')).toEqual({ cascades: true });
    expect(stores.revocations.countOf('ann')).toEqual({ tokens: 10_000, credentials: 1 });
    stores.transaction((tx) => cascade.signedRevoked(tx, { jti: 'next', sub: 'ann', exp: 9e9 }));
    expect(stores.revocations.countOf('ann')).toEqual({ tokens: 0, credentials: 1 });
    expect(stores.revocations.find('key')).toEqual({ cascades: true });
  });

  it('the end of a sign-in or an agent is recorded and counts like the revocation of a key (contract 4)', () => {
    const { stores, cascade } = open(false);
    stores.transaction((tx) => {
      cascade.signInEnded(tx, 'sign-in', 'ann');
      cascade.agentEnded(tx, { id: 'agent', accountId: 'ann', expiresAt: 9e12 });
    });
    expect(stores.revocations.find('sign-in')).toEqual({ cascades: true });
    expect(stores.revocations.countOf('ann')).toEqual({ tokens: 0, credentials: 2 });
  });

  it('a revocation beyond the bound ends all tokens of the account and is not refused (contract 4)', () => {
    const { stores, cascade } = open(false);
    fill(stores, 100_000, null);
    const claims = (parents: string[]) => ({ aud: 'svc-rest', sub: 'ann', parents }) as const;
    const isOver = (parents: string[], id = 'jti') =>
      isRevoked({ id, parents: ancestorsOf(claims(parents)), sourceSignIn: null }, stores.revocations);
    expect([isOver([]), isOver([], '9999'), isOver(['key'])]).toEqual([false, true, false]);
    expect(stores.transaction((tx) => cascade.keyRevoked(tx, key, true))).toBe(true);
    expect(stores.revocations.countOf('ann')).toEqual({ tokens: 0, credentials: 0 });
    expect([isOver([]), isOver([], '9999'), isOver(['key'])]).toEqual([true, true, true]);
    const later = withBearerGroup(['other'], stores.revocations, 'ann');
    expect([isOver([...later]), withBearerGroup(later, stores.revocations, 'ann')]).toEqual([false, later]);
    expect(withBearerGroup(['other'], stores.revocations, 'bob')).toEqual(['other']);
    stores.transaction((tx) => cascade.signedRevoked(tx, { jti: 'new', sub: 'ann', exp: 9e9 }));
    expect([isOver([...later], 'new'), isOver([...later])]).toEqual([true, false]);
  });
});
