import { fakeClock, memoryStores, silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepTidy } from '../src/housekeeping.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('(issue 5) what expired is removed from time to time, and no more once stopped', () => {
  const stores = memoryStores();
  const clock = fakeClock();
  const remove = vi.spyOn(stores.resetLinks, 'removeExpired');
  const tidying = keepTidy(stores, clock, silentLog());
  vi.advanceTimersByTime(30 * 60 * 1000);
  expect(remove).toHaveBeenCalledTimes(3);
  expect(remove).toHaveBeenCalledWith(clock.now());
  tidying.stop();
  vi.advanceTimersByTime(60 * 60 * 1000);
  expect(remove).toHaveBeenCalledTimes(3);
});

it('(issue 5) a database that cannot answer is tried again later', () => {
  const stores = memoryStores();
  vi.spyOn(stores.signIns, 'removeExpired').mockImplementationOnce(() => {
    throw new Error('busy');
  });
  const spent = vi.spyOn(stores.spent, 'removeExpired');
  const tidying = keepTidy(stores, fakeClock(), silentLog());
  vi.advanceTimersByTime(20 * 60 * 1000);
  expect(spent).toHaveBeenCalledTimes(1);
  tidying.stop();
});
