import { Audit } from '@svc/auth-core';
import { fakeClock, seededRandom, silentLog } from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scheduleAuditFlush } from '../src/audit/audit-flush.ts';

const WAITING = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Creates an audit trail with so many rows that most of them wait after the first batch. */
function withWaiting({ broken = false } = {}) {
  const stores = memoryStores();
  const log = silentLog();
  const trail = { ...stores };
  if (broken)
    trail.transaction = () => {
      throw new Error('disk full');
    };
  const audit = new Audit(trail, fakeClock(0), seededRandom());
  for (let row = 0; row < Audit.NOTES_A_SECOND + WAITING; row += 1)
    audit.recordBestEffort(`row ${row}` as never, {});
  return { audit, log, written: () => stores.audit.head().count };
}

it('the schedule of the audit trail writes waiting rows within two seconds, some at a time so that requests go on (contract 2, /audit)', () => {
  const { audit, log, written } = withWaiting();
  scheduleAuditFlush(audit, log).start();
  vi.advanceTimersByTime(1_000);
  expect(written()).toBeGreaterThan(Audit.NOTES_A_SECOND);
  expect(audit.waiting).toBeGreaterThanOrEqual(WAITING / 2);
  vi.advanceTimersByTime(1_000);
  expect([audit.waiting, written()]).toEqual([0, Audit.NOTES_A_SECOND + WAITING]);
});

it('the schedule of the audit trail writes all of them at once when it is asked to, and when it stops', () => {
  const { audit, log, written } = withWaiting();
  const schedule = scheduleAuditFlush(audit, log);
  schedule.start();
  schedule.flush();
  expect(audit.waiting).toBe(0);
  audit.recordBestEffort('last' as never, {});
  schedule.stop();
  expect([written(), vi.getTimerCount()]).toEqual([Audit.NOTES_A_SECOND + WAITING + 1, 0]);
});

it('reports a trail that takes nothing once a second and keeps the rows', () => {
  const { audit, log } = withWaiting({ broken: true });
  const waiting = audit.waiting;
  const schedule = scheduleAuditFlush(audit, log);
  schedule.start();
  vi.advanceTimersByTime(3_000);
  expect(log.messages('error')).toEqual(Array(3).fill('The audit trail cannot be written'));
  expect(audit.waiting).toBe(waiting);
  schedule.stop();
});
