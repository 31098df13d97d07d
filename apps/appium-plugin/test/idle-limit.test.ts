import { expect, it, vi } from 'vitest';
import type { InnerDriver } from '../src/appium-types.ts';
import { limitIdleTime } from '../src/idle-limit.ts';

it('a session is never idle for longer than the limit, whatever its client sets later (contract 14.7)', async () => {
  const restarted: unknown[] = [];
  const driver = {
    newCommandTimeoutMs: 0,
    startNewCommandTimeout: vi.fn(async () => void restarted.push(driver.newCommandTimeoutMs)),
  };
  await limitIdleTime(driver as unknown as InnerDriver, 30);
  expect(restarted).toEqual([30_000]);
  for (const [set, got] of [
    [0, 30_000],
    [3_600_000, 30_000],
    [5_000, 5_000],
    [Number.NaN, 30_000],
    [Number.POSITIVE_INFINITY, 30_000],
  ] as const) {
    driver.newCommandTimeoutMs = set;
    expect(driver.newCommandTimeoutMs).toBe(got);
  }
});
