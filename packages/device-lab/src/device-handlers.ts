import type { Caller } from '@svc/auth-core';
import { type Handlers, instant, mapped } from '@svc/module';
import type { DeviceDirectory, DeviceView } from './device-directory.ts';
import type { LiveLease } from './leases/held-leases.ts';
import type { PhonePreview } from './matching/phone-preview.ts';
import type { SessionView } from './session-view.ts';
import type { HostSources, HostSourceView } from './sources/host-sources.ts';

interface Tools {
  readonly devices: DeviceDirectory;
  readonly hostSources: HostSources;
  readonly phonePreview: PhonePreview;
}

/** Handlers of devices, which show only the devices that the caller may see (contract 2, 3.5). */
export function deviceHandlers({ devices, hostSources, phonePreview }: Tools): Handlers {
  const authorize = (caller: Caller, { udid }: { udid: string }) => devices.checkKnown(caller, udid);
  return {
    listDevices: { list: ({ caller }) => mapped(devices.read(caller), describeDevice) },
    matchDevices: ({ caller, body }) => {
      const { fits, others } = phonePreview.match(caller, body.capabilities);
      return {
        fits: fits.map(({ phone: { device }, status }) => ({ udid: device.udid, name: device.name, status })),
        others: others.map(({ phone: { device }, why }) => ({ udid: device.udid, name: device.name, why })),
      };
    },
    listDeviceSources: async ({ caller }) => (await hostSources.list(caller)).map(describeSource),
    setDeviceSource: async ({ caller, params, body }) =>
      describeSource(await hostSources.set(caller, params.name, body.on)),
    setDeviceTeam: {
      authorize,
      answer: ({ caller, params, body }) => describeDevice(devices.setTeam(caller, params.udid, body.teamId)),
    },
    releaseDevice: { authorize, answer: ({ caller, params }) => devices.release(caller, params.udid) },
    setDeviceDescription: {
      authorize,
      answer: ({ caller, params, body }) => describeDevice(devices.describe(caller, params.udid, body)),
    },
    getDeviceHistory: {
      authorize: (caller, { udid }) => void devices.history(caller, udid),
      answer: ({ caller, params }) => describeHistory(devices.history(caller, params.udid)),
    },
    getCleaningPlan: {
      authorize,
      answer: async ({ caller, params }) => {
        const { since, isKept, items } = await devices.cleaningPlan(caller, params.udid);
        return { since: instant(since), kept: isKept, items };
      },
    },
    setDeviceMaintenance: {
      authorize,
      answer: ({ caller, params, body }) =>
        describeDevice(devices.beginMaintenance(caller, params.udid, body)),
    },
    endDeviceMaintenance: {
      authorize,
      answer: ({ caller, params }) => devices.endMaintenance(caller, params.udid),
    },
    setDeviceTags: ({ caller, body }) => describeDevice(devices.setTags(caller, body.udid, body.tags)),
  };
}

function describeHistory({ probes, days, failureRate }: ReturnType<DeviceDirectory['history']>) {
  return {
    probes: probes.map(({ udid: _, at, ...read }) => ({ at: instant(at), ...read })),
    days: days.map(({ day, ...counts }) => ({ day: instant(day), ...counts })),
    failureRate,
  };
}

function describeSource({ host: { name, address, variable }, isOn, isFixed, found }: HostSourceView) {
  return { name, address, on: isOn, variable, fixed: isFixed, found };
}

/** @returns a device in the shape of `GET /devices` */
export function describeDevice(view: DeviceView) {
  const {
    device,
    team,
    status,
    tags,
    session,
    lease,
    idleSince,
    starting,
    directInput,
    note,
    outOfService,
    health,
    failureRate,
  } = view;
  return {
    udid: device.udid,
    name: device.name,
    platform: device.platform,
    osVersion: device.osVersion,
    team,
    node: device.node,
    status,
    tags,
    note,
    outOfService: outOfService === null ? null : outOfServiceOf(outOfService),
    model: device.model,
    manufacturer: device.manufacturer,
    apiLevel: device.apiLevel,
    kind: device.kind,
    avd: device.avd,
    idleSince: idleSince === null ? null : instant(idleSince),
    health: health === null ? null : { ...health, checkedAt: instant(health.checkedAt) },
    failureRate,
    ...problemOf(device),
    ...(directInput ? { directInput } : {}),
    ...(starting === null ? {} : { starting: { owner: starting.owner, since: instant(starting.since) } }),
    ...(lease === null ? {} : { lease: leaseOf(lease) }),
    ...(session === null ? {} : { session: sessionOf(session) }),
  };
}

function problemOf({ problem }: DeviceView['device']): {
  problem?: 'not trusted' | 'developer mode off' | 'no tunnel';
} {
  return problem === undefined || problem === null ? {} : { problem };
}

function outOfServiceOf({ reason, by, since, until }: NonNullable<DeviceView['outOfService']>) {
  return { reason, by, since: instant(since), until: instant(until) };
}

function leaseOf({ owner, lease }: LiveLease) {
  return { owner: { id: owner.id, email: owner.email }, expiresAt: instant(lease.expiresAt) };
}

function sessionOf({ session: { id, name, startedAt }, owner }: SessionView) {
  return { id, name, owner, startedAt: instant(startedAt) };
}
