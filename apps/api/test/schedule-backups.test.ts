import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scheduleBackups } from '../src/schedules/backups.ts';

const HOUR_MS = 60 * 60 * 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function started(intervalHours: number, failures: readonly (string | null)[] = []) {
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  const log = silentLog();
  const ended: ((failure: string | null) => void)[] = [];
  const stops = vi.fn();
  const backup = { dir: '/nowhere', intervalHours, keep: 7, apps: true, recordings: false };
  const schedule = scheduleBackups({
    config: { backup, dataDir: '/data', databaseFile: '/data/svc.db' },
    clock,
    log,
    run: (_config, done) => {
      const failure = failures[ended.length];
      ended.push(done);
      if (failure !== undefined) setTimeout(() => done(failure), 0);
      return { stop: stops };
    },
  });
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= 60_000) {
      clock.advance(Math.min(left, 60_000));
      vi.advanceTimersByTime(Math.min(left, 60_000));
    }
  };
  return { schedule, pass, ended, log, stops };
}

it('the schedule of backups makes a backup immediately if there is none, then one an interval; never two at the same time', () => {
  const { pass, ended } = started(1);
  pass(60_000);
  expect(ended).toHaveLength(1);
  pass(3 * HOUR_MS);
  expect(ended).toHaveLength(1);
  ended[0]?.(null);
  pass(60_000);
  expect(ended).toHaveLength(2);
  ended[1]?.(null);
  pass(HOUR_MS - 120_000);
  expect(ended).toHaveLength(2);
  pass(180_000);
  expect(ended).toHaveLength(3);
});

it('tries again after a failure, and says so', () => {
  const { pass, ended, log } = started(24, ['no room', null]);
  pass(60_000);
  expect(ended).toHaveLength(1);
  expect(log.messages('error')).toEqual(['The scheduled backup failed; the server tries again later']);
  pass(14 * 60_000);
  expect(ended).toHaveLength(1);
  pass(2 * 60_000);
  expect(ended).toHaveLength(2);
  pass(20 * HOUR_MS);
  expect(ended).toHaveLength(2);
});

it('the schedule of backups is off without an interval, and ends what runs', () => {
  const off = started(0);
  off.pass(48 * HOUR_MS);
  expect(off.ended).toHaveLength(0);
  const on = started(1);
  on.pass(60_000);
  on.schedule.stop();
  expect(on.stops).toHaveBeenCalledOnce();
  on.ended[0]?.('ended with SIGTERM');
  on.pass(48 * HOUR_MS);
  expect(on.ended).toHaveLength(1);
  expect(on.log.messages('error')).toEqual([]);
});
