import { silentLog } from '@svc/auth-core/testing';
import { labStores } from '@svc/store-sqlite/testing';
import { expect, it } from 'vitest';
import { HealthHistory } from '../src/care/health-history.ts';
import type { ReadHealth } from '../src/care/health-probes.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function started(read: (now: number) => Partial<ReadHealth> = () => ({})) {
  const clock = { time: 20 * DAY, now: () => clock.time };
  const store = labStores().health;
  const healthOf = (udid: string): ReadHealth | null =>
    udid === 'unprobed'
      ? null
      : { battery: 80, temperature: 30, storageFree: 1, checkedAt: clock.time, ...read(clock.time) };
  const devices = { list: () => [{ udid: 'a' }, { udid: 'unprobed' }] };
  const log = silentLog();
  return { clock, store, log, history: new HealthHistory({ store, devices, healthOf, clock, log }) };
}

it('one probe of a phone about every 15 minutes is stored, and a week of them is kept (contract 17.2)', () => {
  const { clock, store, history } = started();
  for (let minute = 0; minute < 60; minute++) {
    history.sweep();
    clock.time += MINUTE;
  }
  expect(history.of('a').probes.map(({ at }) => (at - 20 * DAY) / MINUTE)).toEqual([0, 15, 30, 45]);
  expect(history.of('unprobed').probes).toEqual([]);
  clock.time += 7 * DAY;
  expect(history.of('a').probes).toEqual([]);
  clock.time += DAY;
  expect([history.removeOld(), store.rows]).toEqual([false, []]);
});

it('the outcomes of sessions are counted by day, and a store that fails stops nothing (contract 17.2)', () => {
  const { clock, store, history, log } = started();
  for (const what of ['ended', 'failed', 'refused', 'ended'] as const) history.note('a', what);
  clock.time += DAY;
  history.note('a', 'ended');
  expect(history.of('a').days).toEqual([
    { day: 20 * DAY, ended: 3, failed: 1, refused: 1 },
    { day: 21 * DAY, ended: 1, failed: 0, refused: 0 },
  ]);
  expect([history.failureRateOf('a'), history.of('a').failureRate]).toEqual([0.4, 0.4]);
  expect(history.failureRateOf('unprobed')).toBeNull();
  history.note('a', 'refused');
  expect(history.failureRateOf('a')).toBe(0.5);
  clock.time += 7 * DAY;
  expect(history.failureRateOf('a')).toBe(0.5);
  clock.time += DAY;
  expect(history.failureRateOf('a')).toBeNull();
  clock.time -= 8 * DAY;
  store.count = () => {
    throw new Error('the disk is full');
  };
  history.note('a', 'ended');
  expect(log.messages('warn')).toEqual(['The outcome of a session could not be counted']);
});

it('a node that reports times in the future or far apart fills no history that stays (contract 17.2)', () => {
  let reports = 0;
  const { clock, store, history } = started((now) => ({
    checkedAt: ++reports % 2 === 0 ? now + 1_000 * DAY + reports * DAY : now - DAY,
  }));
  for (let minute = 0; minute < 60; minute++) {
    history.sweep();
    clock.time += MINUTE;
  }
  expect(store.rows).toHaveLength(4);
  clock.time += 9 * DAY;
  expect([history.removeOld(), store.rows]).toEqual([false, []]);
});

it('a probe that did not change is stored once (contract 17.2)', () => {
  const { clock, store, history } = started(() => ({ checkedAt: 20 * DAY }));
  for (let minute = 0; minute < 60; minute++) {
    history.sweep();
    clock.time += MINUTE;
  }
  expect(store.rows.map(({ at }) => at)).toEqual([20 * DAY]);
});

it.each([
  [0.5, 1],
  [1e300, null],
  [2_000_000_000.4, 2_000_000_000],
])('free storage of %s bytes is stored as %s, which the table can hold (contract 17.2)', (read, stored) => {
  const { store, history } = started(() => ({ storageFree: read }));
  history.sweep();
  expect(store.rows.map(({ storageFree }) => storageFree)).toEqual([stored]);
});
