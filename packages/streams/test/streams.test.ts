import type { Caller, RequestOrigin } from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import type { Device } from '@svc/device-lab';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Streams } from '../src/streams.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('(contract 2 /control) a phone that moves to another team has its viewers asked about, once', () => {
  let teamId: string | null = null;
  const recheck = vi.fn();
  const device = (): Device => ({ udid: 'p', teamId }) as Device;
  const unused = undefined as never;
  const streams = new Streams({
    tickets: unused,
    openConnections: {
      add: () => ({ current: () => null, expire: () => undefined, forget: () => undefined }),
      recheck,
    },
    lab: { devices: { byUdid: device, statusOf: () => 'free' } } as never,
    deviceControl: unused,
    previews: { end: () => undefined, close: () => undefined } as never,
    log: silentLog(),
  });
  const caller = { account: { id: 'a' }, from: {} as RequestOrigin } as Caller;
  const forget = streams.keep({ caller, device: device() }, 'frames', () => undefined);
  vi.advanceTimersByTime(2_000);
  expect(recheck).toHaveBeenCalledTimes(0);
  teamId = 'qa';
  vi.advanceTimersByTime(5_000);
  expect(recheck).toHaveBeenCalledTimes(1);
  teamId = null;
  vi.advanceTimersByTime(5_000);
  expect(recheck).toHaveBeenCalledTimes(2);
  forget();
});
