import { silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { every, flushing, removing } from '../src/schedules.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A removal as that of old audit rows: once a day. */
const daily = (removeOld: () => boolean) => ({ what: 'Old audit rows', everyMs: DAY_MS, removeOld });

it('a schedule does nothing before it is started, nor after it is stopped except its last work', () => {
  const work = vi.fn();
  const last = vi.fn();
  const schedule = every(1_000, work, last);
  vi.advanceTimersByTime(5_000);
  expect(work).not.toHaveBeenCalled();
  schedule.start();
  vi.advanceTimersByTime(3_000);
  schedule.stop();
  vi.advanceTimersByTime(5_000);
  expect(work).toHaveBeenCalledTimes(3);
  expect(last).toHaveBeenCalledTimes(1);
});

it('logs are written once a second, and once more when the schedule is stopped', () => {
  const log = { flush: vi.fn() };
  const schedule = flushing([log]);
  schedule.start();
  vi.advanceTimersByTime(2_000);
  schedule.stop();
  vi.advanceTimersByTime(5_000);
  expect(log.flush).toHaveBeenCalledTimes(3);
});

it('old rows go soon after the start, part by part, then once a day (contract 2)', () => {
  const removeOld = vi.fn(() => removeOld.mock.calls.length < 3);
  const schedule = removing(daily(removeOld), silentLog());
  schedule.start();
  expect(removeOld).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(removeOld).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(DAY_MS);
  expect(removeOld).toHaveBeenCalledTimes(4);
  schedule.stop();
  vi.advanceTimersByTime(3 * DAY_MS);
  expect(removeOld).toHaveBeenCalledTimes(4);
});

it('a removal is tried again when the database cannot answer (contract 2)', () => {
  const log = silentLog();
  const removeOld = vi.fn((): boolean => {
    throw new Error('busy');
  });
  const schedule = removing(daily(removeOld), log);
  schedule.start();
  vi.advanceTimersByTime(DAY_MS + 1_000);
  expect(removeOld).toHaveBeenCalledTimes(2);
  expect(log.messages('warn')).toHaveLength(2);
  schedule.stop();
});
