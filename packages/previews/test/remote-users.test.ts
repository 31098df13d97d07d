import type { Caller } from '@svc/auth-core';
import { fakeClock } from '@svc/auth-core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { RemoteUsers } from '../src/remote-adb/remote-users.ts';

const MINUTE_MS = 60_000;

describe('the rows of the audit trail about remote adb', () => {
  let clock = fakeClock();
  let rows: string[] = [];
  let users: RemoteUsers;

  beforeEach(() => {
    clock = fakeClock();
    rows = [];
    const record = (event: string, row: { target: string; reason: string }) =>
      void rows.push(`${event} ${row.target} ${row.reason}`);
    users = new RemoteUsers({
      event: 'device_adb',
      audit: {
        record: (_tx: unknown, event: string, row: never) => record(event, row),
        recordBestEffort: record,
      } as never,
      stores: { transaction: (work: (tx: never) => unknown) => work(undefined as never) } as never,
      clock,
      random: { uuid: () => 'id', bytes: () => new Uint8Array() } as never,
    });
  });

  const caller = (credential: string) =>
    ({
      account: { id: 'ana', email: 'ana@example.org' },
      from: { address: null, peer: null, requestId: null },
      credential: { kind: 'profile_token', id: credential, agent: null },
    }) as unknown as Caller;
  const begin = (credential = 'one', udid = 'phone') =>
    users.begin(caller(credential), udid, () => undefined);
  const service = (kind: string, word: string | null = null) => ({ kind, word, request: 'secret' });

  it('each credential and phone has one row for its first connection (contract 16.3)', () => {
    for (const [credential, udid] of [
      ['one', 'phone'],
      ['one', 'phone'],
      ['two', 'phone'],
      ['one', 'other'],
    ])
      begin(credential, udid);
    expect(rows).toEqual([
      'device_adb phone connected',
      'device_adb phone connected',
      'device_adb other connected',
    ]);
  });

  it('services have one row for each kind and minute, with the count and the first word of a shell (contract 16.3)', () => {
    const { use } = begin();
    rows = [];
    for (const each of [
      service('shell,v2', 'ls'),
      service('shell,v2', 'ls'),
      service('shell,v2', 'am'),
      service('sync'),
      service('sync'),
      service('sync'),
    ])
      users.count(use, each);
    users.flush();
    expect(rows).toEqual([]);
    clock.advance(MINUTE_MS);
    users.flush();
    expect(rows).toEqual([
      'device_adb phone shell,v2 ls: 2 services',
      'device_adb phone shell,v2 am: 1 service',
      'device_adb phone sync: 3 services',
    ]);
    users.count(use, service('sync'));
    clock.advance(MINUTE_MS - 1);
    users.flush();
    expect(rows).toHaveLength(3);
    clock.advance(1);
    users.flush();
    expect(rows.at(-1)).toBe('device_adb phone sync: 1 service');
  });

  it('the rest is written to the trail when the last adb connection closes, and a flood of words does not fill it (contract 16.3)', () => {
    const [first, second] = [begin(), begin()];
    rows = [];
    for (let word = 0; word < 1_000; word++) users.count(first.use, service('shell', `word-${word}`));
    first.leave();
    expect(rows).toEqual([]);
    second.leave();
    expect(rows).toHaveLength(51);
    expect(rows.at(-1)).toBe('device_adb phone other services: 950 services');
    expect(users.all).toEqual([]);
  });
});
