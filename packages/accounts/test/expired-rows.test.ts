import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AccountStores } from '../src/ports/stores.ts';
import { removingExpired } from '../src/sign-in/expired-rows.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the stores that a transaction uses. Stores in memory use the same objects for every transaction. */
const storesWithin = (stores: AccountStores) => stores.transaction((tx) => tx);

it('the cleanup removes expired rows periodically until it is stopped', () => {
  const stores = memoryStores();
  const clock = fakeClock();
  const remove = vi.spyOn(storesWithin(stores).resetLinks, 'removeExpired');
  const tidying = removingExpired(stores, clock, silentLog(), 3_600_000);
  tidying.start();
  vi.advanceTimersByTime(30 * 60 * 1000);
  expect(remove).toHaveBeenCalledTimes(3);
  expect(remove).toHaveBeenCalledWith(clock.now());
  tidying.stop();
  vi.advanceTimersByTime(60 * 60 * 1000);
  expect(remove).toHaveBeenCalledTimes(3);
});

it('a database that cannot answer is tried again later', () => {
  const stores = memoryStores();
  vi.spyOn(storesWithin(stores).signIns, 'removeExpired').mockImplementationOnce(() => {
    throw new Error('busy');
  });
  const replay = vi.spyOn(storesWithin(stores).replay, 'removeExpired');
  const tidying = removingExpired(stores, fakeClock(), silentLog(), 3_600_000);
  tidying.start();
  vi.advanceTimersByTime(20 * 60 * 1000);
  expect(replay).toHaveBeenCalledTimes(1);
  tidying.stop();
});
