import { silentLog } from '@svc/auth-core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OutOfServiceRow } from '../src/care/care-store.ts';
import { RefusedCreates } from '../src/care/refused-creates.ts';
import { startFault } from '../src/care/start-fault.ts';

const MINUTE = 60_000;

let now: number;
let rows: Map<string, OutOfServiceRow>;
let refusals: RefusedCreates;

/** Returns the minutes for which the phone is out of service from now on, or null if it is in service. */
const minutes = (udid = 'a') => {
  const row = rows.get(udid);
  return row?.until == null ? null : (row.until - now) / MINUTE;
};
const refuse = (times: number, udid = 'a', account: string | null = 'ana') => {
  for (let each = 0; each < times; each++) refusals.refused(udid, account);
};
const timeIsOver = (udid = 'a') => {
  now = rows.get(udid)?.until ?? now;
  rows.delete(udid);
};

beforeEach(() => {
  now = 1_000;
  rows = new Map();
  const care = {
    on: (udid: string) => rows.get(udid) ?? null,
    putOut: (udid: string, reason: string, until: number | null) => {
      rows.set(udid, { udid, reason, byId: null, since: now, until });
      return true;
    },
    putBack: (udid: string) => rows.delete(udid),
  };
  refusals = new RefusedCreates({ care, clock: { now: () => now }, log: silentLog() });
});

describe('creates that the driver refused', () => {
  it('creates that the driver refused put the phone out of service after three in a row, doubling to an hour (contract 17.2)', () => {
    refuse(2);
    expect(minutes()).toBeNull();
    refuse(1);
    expect(rows.get('a')?.reason).toBe('the driver refused 3 creates in a row');
    const lengths = [minutes()];
    for (let time = 0; time < 5; time++) {
      timeIsOver();
      refuse(1);
      lengths.push(minutes());
    }
    expect(lengths).toEqual([5, 10, 20, 40, 60, 60]);
  });

  it('creates that the driver refused begin anew after one that works, which also puts the phone back (contract 17.2)', () => {
    refuse(2);
    refusals.worked('a', 'ana');
    refuse(2);
    expect(minutes()).toBeNull();
    refuse(1);
    refusals.worked('a', 'bob');
    expect(rows.has('a')).toBe(false);
    refusals.worked('a', 'ana');
    refuse(3);
    expect(minutes()).toBe(5);
  });

  it('creates that the driver refused begin anew after an Admin has put the phone back early (contract 17.2)', () => {
    refuse(3);
    rows.delete('a');
    refuse(2);
    expect(minutes()).toBeNull();
    refuse(1);
    expect(minutes()).toBe(5);
  });

  it('creates that the driver refused do not change what was put out for another reason (contract 17.2)', () => {
    const row = { udid: 'a', reason: 'screen is broken', byId: 'root', since: 1, until: null };
    rows.set('a', row);
    refuse(5);
    refusals.worked('a', 'ana');
    expect(rows.get('a')).toBe(row);
    rows.set('a', { ...row, byId: null, reason: 'it does not answer' });
    refusals.worked('a', 'ana');
    expect(rows.has('a')).toBe(true);
  });

  it('refused creates of one client put at most one phone out of service, and those of several clients the bad phone (contract 17.2)', () => {
    for (const udid of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']) refuse(1, udid, 'mallory');
    expect([...rows.keys()]).toEqual(['a']);
    for (const account of ['ana', 'bob', null]) refuse(1, 'b', account);
    expect([...rows.keys()]).toEqual(['a', 'b']);
    timeIsOver();
    refusals.worked('d', 'mallory');
    refuse(3, 'c', 'mallory');
    expect([...rows.keys()]).toEqual(['b', 'c']);
  });

  it('a client that also starts sessions cannot put one phone after the other out of service (contract 17.2)', () => {
    for (const udid of ['a', 'b', 'c']) {
      refuse(2, udid, 'mallory');
      refuse(1, udid, null);
      for (const account of ['mallory', null]) refusals.worked('d', account);
    }
    expect([...rows.keys()]).toEqual(['a']);
    refuse(3, 'b', 'ana');
    expect([...rows.keys()]).toEqual(['a', 'b']);
  });
});

describe('the reason of a refused create', () => {
  it.each([
    [
      "Could not find a driver for automationName 'X' and platformName 'Y'. Have you installed it?",
      'request',
    ],
    [
      "Error executing adbExec. Original error: 'Command exited with code 1'; Stderr: 'adb: device 'x' not found'",
      'phone',
    ],
    ['adb: device offline', 'phone'],
    ["error: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", 'phone'],
    ['Device R58N was not in the list of connected devices', 'phone'],
    ['adb: no devices/emulators found', 'phone'],
    ['No devices connected. Original error: x', 'phone'],
    ['Could not find a connected Android device in 20000ms', 'phone'],
    ['the instrumentation process is not running (probably crashed)', 'phone'],
    ['The instrumentation process has been unexpectedly terminated.', 'phone'],
    ['The instrumentation process cannot be initialized within 30000ms timeout.', 'phone'],
    ["'automationName' is required to be present; 'platformName' is required to be present", 'request'],
    ["'platformName' must be of type string", 'request'],
    ['\'platformName\' must be contained by ["Fake"]', undefined],
    ['must be a JSON object', 'request'],
    ['All non-standard capabilities should have a vendor prefix. The following did not: x', 'request'],
    ["property 'appium:x' should not exist on both primary ({}) and secondary ({}) object", 'request'],
    ['The capabilities argument was not valid for the following reason(s): x', 'request'],
    ["The application at '/nowhere.apk' does not exist or is not accessible", undefined],
    ['The desiredCapabilities object was not valid', undefined],
    ['', undefined],
  ])('the reason %j of a refused create is classified as %s (contract 17.2)', (message, fault) => {
    expect(startFault(new Error(message))).toBe(fault);
  });

  it('the reason of a refused create is unknown without an error (contract 17.2)', () => {
    expect([startFault(undefined), startFault(null), startFault('x'), startFault({})]).toEqual(
      Array(4).fill(undefined),
    );
  });
});
