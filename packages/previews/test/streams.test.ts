import { type Caller, type RequestOrigin, scopeSet } from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import type { StreamKind } from '@svc/contract';
import type { Device } from '@svc/device-lab';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Previews } from '../src/relays/previews.ts';
import { type PreviewMode, Streams } from '../src/viewers/streams.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a phone that moves to another team has its viewers asked about, once (contract 2 /control)', () => {
  let teamId: string | null = null;
  const recheck = vi.fn();
  const device = (): Device => ({ udid: 'p', teamId }) as Device;
  const unused = undefined as never;
  const streams = new Streams({
    mode: 'all',
    tickets: unused,
    openConnections: {
      add: () => ({ current: () => null, expire: () => undefined, forget: () => undefined }),
      recheck,
    },
    lab: {
      devices: { byUdid: device, statusOf: () => 'free' },
      sessions: { runningOn: () => undefined },
    } as never,
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

/** Streams of the phone `p`, on which a session of the account `owner` runs unless `session` is false. */
function phone({ mode = 'all' as PreviewMode, session = true } = {}) {
  const device = { udid: 'p', teamId: null } as Device;
  const running = session ? [{ id: 's', ownerId: 'owner', device: { udid: 'p' } }] : [];
  const refusals: ((caller: Caller) => string | null)[] = [];
  const recheck = vi.fn();
  const started: (() => void)[] = [];
  const previews = new Previews(
    {
      frames: () => ({ open: () => () => undefined }) as never,
      lines: () => null,
      video: () => ({}) as never,
    },
    { now: () => 0 },
  );
  const streams = new Streams({
    mode,
    tickets: undefined as never,
    openConnections: {
      add: ({ refusal }) => {
        refusals.push(refusal);
        return { current: () => null, expire: () => undefined, forget: () => undefined };
      },
      recheck,
    },
    lab: {
      devices: { byUdid: () => device, statusOf: () => 'busy' },
      sessions: { runningOn: (on: string) => running.find(({ device }) => device?.udid === on) },
      onStart: (listener: () => void) => started.push(listener),
    } as never,
    deviceControl: { seen: () => device },
    previews,
    log: silentLog(),
  });
  const open = (caller: Caller, kind: StreamKind) => {
    const admitted = streams.admit(kind, 'p', { kind: 'caller', caller, ticket: null });
    const leave =
      kind === 'frames'
        ? previews.watch(device, { frame: () => undefined, end: () => undefined })
        : () => undefined;
    const forget = streams.keep(admitted, kind, () => undefined);
    return () => {
      forget();
      leave();
    };
  };
  return { streams, open, running, refusals, recheck, started };
}

const callerOf = (id: string) =>
  ({ account: { id, role: 'Member' }, scopes: scopeSet(['devices']), credential: {} }) as unknown as Caller;

/** Opens streams until one is refused. */
function opened(open: () => unknown): number {
  for (let count = 0; count <= 200; count++) {
    try {
      open();
    } catch (error) {
      expect(error).toMatchObject({ code: 'overloaded' });
      return count;
    }
  }
  return 200;
}

it('one account has at most 8 streams of a phone, 4 of them video, and the owner keeps a place (contract 2 /control)', () => {
  const { open } = phone();
  expect(opened(() => open(callerOf('ana'), 'video'))).toBe(4);
  expect(opened(() => open(callerOf('ana'), 'frames'))).toBe(4);
  expect(opened(() => open(callerOf('bob'), 'video'))).toBe(2);
  expect(opened(() => open(callerOf('owner'), 'video'))).toBe(2);
  for (let count = 0; count < 12; count++) opened(() => open(callerOf(`user ${count}`), 'frames'));
  expect(opened(() => open(callerOf('late'), 'frames'))).toBe(0);
  expect(opened(() => open(callerOf('owner'), 'frames'))).toBe(4);
});

it('only callers who may drive a session see its picture with SVC_PREVIEW=own', () => {
  const { streams, open, running, refusals, recheck, started } = phone({ mode: 'own' });
  const [ana, owner] = [callerOf('ana'), callerOf('owner')];
  for (const kind of ['frames', 'video'] as const) {
    expect(() => open(ana, kind)).toThrow(expect.objectContaining({ code: 'no_such_source' }));
    expect([streams.hidesPicture(ana, kind, 'p'), streams.hidesPicture(owner, kind, 'p')]).toEqual([
      true,
      false,
    ]);
    open(owner, kind)();
  }
  const session = running.pop();
  open(ana, 'frames');
  expect(refusals.at(-1)?.(ana)).toBe(null);
  vi.advanceTimersByTime(1_000);
  expect(recheck).toHaveBeenCalledTimes(0);
  if (session !== undefined) running.push(session);
  expect(refusals.at(-1)?.(ana)).toContain('hidden');
  for (const report of started) report();
  expect(recheck).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(recheck).toHaveBeenCalledTimes(1);
});
