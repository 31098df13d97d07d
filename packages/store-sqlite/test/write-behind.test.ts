import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  autocommit,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleSignIn,
} from '@svc/auth-core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { eachTestItsPlace } from './place.ts';

const TICK_MS = 2_000;
const place = eachTestItsPlace();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

async function furnished(): Promise<SqliteStore> {
  const store = await place().open();
  autocommit(store).accounts.insert(sampleAccount('ann'));
  autocommit(store).apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
  autocommit(store).signIns.insert(
    sampleSignIn('web', 'ann', { createdAt: 0, lastSeenAt: 0, expiresAt: 6_000_000 }),
    hashOf('web'),
  );
  return store;
}

const writtenUse = () => place().raw().prepare('select last_used_at from api_tokens').pluck().get();
const writtenEnd = () => place().raw().prepare('select expires_at from sign_ins').pluck().get();
const writtenSight = () => place().raw().prepare('select last_seen_at from sign_ins').pluck().get();

describe('last use', () => {
  it('the last use of a token is seen at once and written a moment later, once for many uses', async () => {
    const store = await furnished();
    for (let at = 1; at <= 100; at += 1) store.apiTokens.touch(idOf('ci'), at);
    expect(store.apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(100);
    expect(writtenUse()).toBeNull();
    vi.advanceTimersByTime(TICK_MS);
    expect(writtenUse()).toBe(100);
    expect(vi.getTimerCount()).toBe(0);
    store.apiTokens.touch(idOf('ci'), 200);
    vi.advanceTimersByTime(TICK_MS);
    expect(writtenUse()).toBe(200);
  });

  it('the last use of a token is written on flush, and on close without waiting', async () => {
    const store = await furnished();
    store.apiTokens.touch(idOf('ci'), 1);
    store.flush();
    expect(writtenUse()).toBe(1);
    store.apiTokens.touch(idOf('ci'), 2);
    store.close();
    expect(writtenUse()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('the last use of a token does not go back behind what another process wrote', async () => {
    const store = await furnished();
    store.apiTokens.touch(idOf('ci'), 5);
    place().raw().exec('update api_tokens set last_used_at = 9');
    await nextTurn();
    expect(store.apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(9);
    store.flush();
    expect(writtenUse()).toBe(9);
  });

  it('the last use of a token survives that everything remembered is dropped', async () => {
    const store = await furnished();
    store.apiTokens.touch(idOf('ci'), 5);
    place().raw().exec("update accounts set name = 'other'");
    expect(store.accounts.byId(idOf('ann'))?.name).toBe('other');
    expect(store.apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(5);
    vi.advanceTimersByTime(TICK_MS);
    expect(writtenUse()).toBe(5);
  });

  it('the last use of a token never brings back a token that was revoked, here or elsewhere', async () => {
    const store = await furnished();
    autocommit(store).apiTokens.insert(sampleApiToken('other', 'ann'), hashOf('other'));
    store.apiTokens.touch(idOf('ci'), 5);
    store.apiTokens.touch(idOf('other'), 5);
    autocommit(store).apiTokens.revoke(idOf('ci'));
    place().raw().exec("delete from api_tokens where name = 'other'");
    store.flush();
    expect(place().raw().prepare('select count(*) from api_tokens').pluck().get()).toBe(0);
    expect(store.apiTokens.listAll()).toEqual([]);
  });

  it('the last use of a token waits for the next occasion when the database does not let it in', async () => {
    const store = await furnished();
    const blocker = place().raw();
    blocker.exec("create trigger no before update on api_tokens begin select raise(abort, 'no'); end");
    store.apiTokens.touch(idOf('ci'), 5);
    vi.advanceTimersByTime(TICK_MS);
    expect(place().log.messages('warn')).toEqual([
      'Last-used times could not be written; the server tries again in 2 s',
    ]);
    expect(store.apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(5);
    blocker.exec('drop trigger no');
    vi.advanceTimersByTime(TICK_MS);
    expect(writtenUse()).toBe(5);
  });
});

describe('many last uses', () => {
  const COUNT = 1_000;

  /** Creates `count` tokens and uses each of them once. */
  async function manyUsed(count = COUNT): Promise<SqliteStore> {
    const store = await furnished();
    store.transaction((tx) => {
      for (let n = 0; n < count; n += 1) tx.apiTokens.insert(sampleApiToken(`t${n}`, 'ann'), hashOf(`t${n}`));
    });
    for (let n = 0; n < count; n += 1) store.apiTokens.touch(idOf(`t${n}`), 7);
    return store;
  }

  const written = () => place().raw().prepare('select count(last_used_at) from api_tokens').pluck().get();

  it('many last uses are written some at a time, so that requests go on meanwhile, and all of them soon', async () => {
    const store = await manyUsed();
    vi.advanceTimersByTime(TICK_MS);
    expect(written()).toBeGreaterThan(0);
    expect(written()).toBeLessThanOrEqual(COUNT / 4);
    vi.advanceTimersByTime(TICK_MS);
    expect(written()).toBe(COUNT);
    expect([store.pendingWrites(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('many last uses do not pile up: of very many more are written at once', async () => {
    const store = await manyUsed(15_000);
    vi.advanceTimersByTime(2 * TICK_MS);
    expect(store.pendingWrites()).toBeLessThan(3_000);
    vi.advanceTimersByTime(TICK_MS);
    expect([store.pendingWrites(), written()]).toEqual([0, 15_000]);
  });

  it('many last uses are all written on close, also when some are', async () => {
    const store = await manyUsed();
    vi.advanceTimersByTime(TICK_MS);
    store.close();
    expect(written()).toBe(COUNT);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a sliding end (specification 2, Dashboard sign-in)', () => {
  it('a sliding end is exact at once, and written only once it moved by a minute (specification 2, Dashboard sign-in)', async () => {
    const store = await furnished();
    const { clock } = place();
    for (const at of [1, 30_000, 60_000]) {
      clock.set(at);
      // The sign-in already has this expiry, so only its last-seen time changes.
      store.signIns.extend(idOf('web'), at, 6_000_000);
    }
    expect(vi.getTimerCount()).toBe(0);
    expect(store.signIns.byHash(hashOf('web'))?.lastSeenAt).toBe(60_000);
    clock.set(60_001);
    store.signIns.extend(idOf('web'), 60_001, 6_060_001);
    expect(store.signIns.byHash(hashOf('web'))).toMatchObject({ lastSeenAt: 60_001, expiresAt: 6_060_001 });
    expect(writtenEnd()).toBe(6_000_000);
    vi.advanceTimersByTime(TICK_MS);
    expect([writtenEnd(), writtenSight()]).toEqual([6_060_001, 60_001]);
  });

  it('a sliding end is written earlier when little life remains (specification 2, Dashboard sign-in)', async () => {
    const store = await furnished();
    place().clock.set(5_990_000);
    store.signIns.extend(idOf('web'), 0, 6_001_000);
    vi.advanceTimersByTime(TICK_MS);
    expect(writtenEnd()).toBe(6_000_000);
    store.signIns.extend(idOf('web'), 0, 6_001_001);
    vi.advanceTimersByTime(TICK_MS);
    expect(writtenEnd()).toBe(6_001_001);
  });

  it('a sliding end is measured from what was written, however small the steps (specification 2, Dashboard sign-in)', async () => {
    const store = await furnished();
    for (let at = 1_000; at <= 61_000; at += 1_000) store.signIns.extend(idOf('web'), at, 6_000_000 + at);
    vi.advanceTimersByTime(TICK_MS);
    expect(writtenEnd()).toBe(6_061_000);
  });

  it('a sliding end survives that everything remembered is dropped, and is written on close (specification 2, Dashboard sign-in)', async () => {
    const store = await furnished();
    store.signIns.extend(idOf('web'), 5, 6_000_005);
    place().raw().exec("update accounts set name = 'other'");
    expect(store.signIns.byHash(hashOf('web'))).toMatchObject({ lastSeenAt: 5, expiresAt: 6_000_005 });
    store.close();
    expect([writtenEnd(), writtenSight()]).toEqual([6_000_005, 5]);
  });

  it('a sliding end never holds back an end nor brings one back (specification 2, Dashboard sign-in)', async () => {
    const store = await furnished();
    store.signIns.extend(idOf('web'), 100_000, 6_100_000);
    place().raw().exec('delete from sign_ins');
    await nextTurn();
    expect(store.signIns.byHash(hashOf('web'))).toBeUndefined();
    store.flush();
    expect(writtenEnd()).toBeUndefined();
  });

  it('a sliding end is not lost with the transaction that removes expired ones and fails (specification 2, Dashboard sign-in)', async () => {
    const store = await furnished();
    store.signIns.extend(idOf('web'), 100_000, 6_100_000);
    const failing = () =>
      store.transaction((tx) => {
        tx.signIns.removeExpired(1);
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(writtenEnd()).toBe(6_000_000);
    expect(store.signIns.byHash(hashOf('web'))?.expiresAt).toBe(6_100_000);
    store.flush();
    expect(writtenEnd()).toBe(6_100_000);
  });

  it('a sliding end does not let unwritten ones pile up in memory: beyond 10,000 the oldest are written (specification 2, Dashboard sign-in)', async () => {
    const store = await furnished();
    store.transaction((tx) => {
      for (let n = 0; n <= 10_000; n += 1) {
        const signIn = sampleSignIn('', 'ann', { id: `s${n}`, lastSeenAt: 0, expiresAt: 6_000_000 });
        tx.signIns.insert(signIn, `h${n}`);
        store.signIns.extend(`s${n}`, 1, 6_000_001);
      }
    });
    vi.advanceTimersByTime(TICK_MS);
    expect(store.pendingWrites()).toBeLessThan(10_000);
    const written = place().raw().prepare('select id from sign_ins where expires_at = 6000001').pluck().all();
    expect(written).toEqual(expect.arrayContaining(['s0', 's1', 's2']));
  });
});
