import { silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scheduleAuditRetention } from '../src/schedules/audit-retention.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('(contract 2, /audit) old rows go soon after the start, part by part, then once a day', () => {
  const removeOld = vi.fn(() => removeOld.mock.calls.length < 3);
  const forgetting = scheduleAuditRetention({ removeOld }, silentLog());
  expect(removeOld).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(removeOld).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(DAY_MS);
  expect(removeOld).toHaveBeenCalledTimes(4);
  forgetting.stop();
  vi.advanceTimersByTime(3 * DAY_MS);
  expect(removeOld).toHaveBeenCalledTimes(4);
});

it('(contract 2, /audit) a database that cannot answer is tried again', () => {
  const log = silentLog();
  const removeOld = vi.fn((): boolean => {
    throw new Error('busy');
  });
  const forgetting = scheduleAuditRetention({ removeOld }, log);
  vi.advanceTimersByTime(DAY_MS + 1000);
  expect(removeOld).toHaveBeenCalledTimes(2);
  expect(log.messages('warn')).toHaveLength(2);
  forgetting.stop();
});
