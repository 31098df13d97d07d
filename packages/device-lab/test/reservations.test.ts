import { silentLog } from '@svc/auth-core/testing';
import { labStores } from '@svc/store-sqlite/testing';
import { describe, expect, it } from 'vitest';
import { type DeviceRequest, NoMatchingDevice } from '../src/allocate-device.ts';
import { Devices } from '../src/devices.ts';
import { Reservations } from '../src/reservations.ts';
import { samplePhones, sampleRequest } from '../src/testing/index.ts';

const any = sampleRequest();
const named = (udid: string, change: Partial<DeviceRequest> = {}) =>
  sampleRequest({ 'appium:udid': udid }, change);

function reservationsOf(count: number, maxSessions = 0) {
  const options = { settings: labStores().deviceSettings, clock: { now: () => 0 }, log: silentLog() };
  const devices = new Devices(options);
  const source = samplePhones(count, 'virtual');
  if (count > 0) source.start((found) => devices.report(source, found));
  const lab = { running: 0, maxSessions };
  const reservations = new Reservations({
    devices,
    maxSessions: () => lab.maxSessions,
    running: () => lab.running,
    agentLimits: { check: () => undefined, checkPhone: () => undefined, begin: () => () => undefined },
    shares: { check: () => undefined, begin: () => () => undefined },
  });
  return {
    devices,
    lab,
    reservations,
    reserve: (request: DeviceRequest) => reservations.reserve(request, null),
  };
}

describe('devices (contract 6.4)', () => {
  it('one session each, held once it runs, free again when it does not start', () => {
    const { devices, reserve } = reservationsOf(2);
    const first = reserve(any);
    const second = reserve(any);
    expect([first.device?.udid, second.device?.udid]).toEqual(['virtual-1', 'virtual-2']);
    expect(() => reserve(any)).toThrow(NoMatchingDevice);
    first.confirm();
    first.cancel();
    expect(devices.statusOf('virtual-1')).toBe('busy');
    second.cancel();
    second.cancel();
    expect(devices.statusOf('virtual-2')).toBe('free');
  });

  it('the one that is named, and none instead of it', () => {
    const { reserve } = reservationsOf(2);
    const input = named('virtual-2');
    expect(reserve(input).device?.udid).toBe('virtual-2');
    expect(() => reserve(input)).toThrow('the phone is busy');
    expect(() => reserve(named('virtual-3'))).toThrow(
      'no phone of this lab fits the capabilities: appium:udid virtual-3; the lab has virtual-1, virtual-2',
    );
  });

  it('a reserved phone has the platform and the team and is visible to the caller, and a hidden one looks unknown (contract 6.4)', () => {
    const { devices, reserve } = reservationsOf(2);
    devices.change('virtual-2', { teamId: 'qa' });
    const outsider = { maySee: (teamId: string | null) => teamId === null };
    expect(() => reserve(sampleRequest({ platformName: 'Android' }))).toThrow(NoMatchingDevice);
    expect(() => reserve(named('virtual-2', outsider))).toThrow('the lab has virtual-1');
    expect(() => reserve(named('virtual-1', { teamId: 'qa' }))).toThrow(NoMatchingDevice);
    expect(reserve(sampleRequest({ platformName: 'fAKE' }, { teamId: 'qa' })).device?.udid).toBe('virtual-2');
    expect(reserve(sampleRequest({}, outsider)).device?.udid).toBe('virtual-1');
  });

  it('a lab without devices lets sessions run, and knows while one starts', () => {
    const { reserve, reservations } = reservationsOf(0);
    const starting = reserve(named('whatever'));
    expect([starting.device, reservations.startsUnassigned]).toEqual([null, true]);
    starting.confirm();
    expect(reservations.startsUnassigned).toBe(false);
  });
});

describe('the limit of sessions (specification 8.2)', () => {
  it('the limit of sessions counts running and starting ones (specification 8.2)', () => {
    const { lab, reserve } = reservationsOf(0, 2);
    lab.running = 1;
    const starting = reserve(any);
    expect(() => reserve(any)).toThrow('sessions at once is reached');
    starting.cancel();
    reserve(any).confirm();
    reserve(any);
    expect(() => reserve(any)).toThrow('sessions at once is reached');
  });

  it('a reservation given back twice, or after its session began, makes room once', () => {
    const { lab, reserve } = reservationsOf(0, 1);
    const given = reserve(any);
    given.cancel();
    given.cancel();
    const next = reserve(any);
    expect(() => reserve(any)).toThrow('the limit of 1 session at once is reached');
    next.confirm();
    lab.running = 1;
    next.cancel();
    expect(() => next.confirm()).toThrow('already settled');
    expect(() => reserve(any)).toThrow('the limit of 1 session at once is reached');
  });
});
