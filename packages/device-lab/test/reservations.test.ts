import { silentLog } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type DeviceFamily, type DeviceRequest, fits, NoMatchingDevice } from '../src/allocate-device.ts';
import { Devices } from '../src/devices.ts';
import { Reservations, SessionLimitReached } from '../src/reservations.ts';
import { MemoryDeviceSettings, samplePhones } from '../src/testing/index.ts';

const any = { udid: null, platform: null, teamId: null, maySee: () => true };

function reservationsOf(count: number, maxSessions = 0) {
  const options = { settings: new MemoryDeviceSettings(), clock: { now: () => 0 }, log: silentLog() };
  const devices = new Devices(options);
  const source = samplePhones(count, 'virtual');
  if (count > 0) source.start((found) => devices.report(source, found));
  const lab = { running: 0, maxSessions };
  const reservations = new Reservations({
    devices,
    maxSessions: () => lab.maxSessions,
    running: () => lab.running,
    agentLimits: { check: () => undefined, checkPhone: () => undefined, begin: () => () => undefined },
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
    const input = { ...any, udid: 'virtual-2' };
    expect(reserve(input).device?.udid).toBe('virtual-2');
    expect(() => reserve(input)).toThrow('the phone is busy');
    expect(() => reserve({ ...any, udid: 'virtual-3' })).toThrow('this lab has no such phone');
  });

  it('only of the families that its name contains (spec 9.2)', () => {
    const { devices } = reservationsOf(1);
    const fitting = (name: string, families: DeviceFamily[]) =>
      devices.list().some((device) => fits({ ...device, name }, { ...any, families }));
    expect(fitting('Lab iPad 7', ['iPad'])).toBe(true);
    expect(fitting('IPHONE 13', ['iPhone'])).toBe(true);
    expect(fitting('Lab iPad 7', ['iPhone'])).toBe(false);
    expect(fitting('Lab iPad 7', ['iPhone', 'iPad'])).toBe(false);
    expect(fitting('Pixel 9', [])).toBe(true);
  });

  it('only of the platform, the team, and what the caller may see; hidden reads like unknown', () => {
    const { devices, reserve } = reservationsOf(2);
    devices.change('virtual-2', { teamId: 'qa' });
    const outsider = { ...any, maySee: (teamId: string | null) => teamId === null };
    expect(() => reserve({ ...any, platform: 'Android' })).toThrow(NoMatchingDevice);
    expect(() => reserve({ ...outsider, udid: 'virtual-2' })).toThrow('this lab has no such phone');
    expect(() => reserve({ ...any, teamId: 'qa', udid: 'virtual-1' })).toThrow(NoMatchingDevice);
    expect(reserve({ ...any, teamId: 'qa', platform: 'fAKE' }).device?.udid).toBe('virtual-2');
    expect(reserve(outsider).device?.udid).toBe('virtual-1');
  });

  it('a lab without devices lets sessions run, and knows while one starts', () => {
    const { reserve, reservations } = reservationsOf(0);
    const starting = reserve({ ...any, udid: 'whatever' });
    expect([starting.device, reservations.startsUnassigned]).toEqual([null, true]);
    starting.confirm();
    expect(reservations.startsUnassigned).toBe(false);
  });
});

describe('the limit of sessions (specification 8.2)', () => {
  it('counts running and starting ones', () => {
    const { lab, reserve } = reservationsOf(0, 2);
    lab.running = 1;
    const starting = reserve(any);
    expect(() => reserve(any)).toThrow(SessionLimitReached);
    starting.cancel();
    reserve(any).confirm();
    reserve(any);
    expect(() => reserve(any)).toThrow(SessionLimitReached);
  });

  it('a reservation given back twice, or after its session began, makes room once', () => {
    const { lab, reserve } = reservationsOf(0, 1);
    const given = reserve(any);
    given.cancel();
    given.cancel();
    const next = reserve(any);
    expect(() => reserve(any)).toThrow(SessionLimitReached);
    next.confirm();
    lab.running = 1;
    next.cancel();
    expect(() => next.confirm()).toThrow('already settled');
    expect(() => reserve(any)).toThrow(SessionLimitReached);
  });
});
