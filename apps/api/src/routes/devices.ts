import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { DeviceDirectory, DeviceView, HostSourceView, LiveLease, SessionView } from '@svc/device-lab';
import { instant, mapped } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes for devices, which show only the devices that the caller may see (contract 2, 3.5). */
export function deviceRoutes(
  api: App,
  { services: { devices, hostSources, phonePreview }, reads }: HttpContext,
): void {
  handle(api, routes.listDevices, async (request, reply) => {
    const views = mapped(devices.read(request.caller), describeDevice);
    return await reads.sendList({ request, reply }, routes.listDevices, views);
  });

  handle(api, routes.matchDevices, ({ caller, body }) => {
    const { fits, others } = phonePreview.match(caller, body.capabilities);
    return {
      fits: fits.map(({ phone: { device }, status }) => ({ udid: device.udid, name: device.name, status })),
      others: others.map(({ phone: { device }, why }) => ({
        udid: device.udid,
        name: device.name,
        why: [...why],
      })),
    };
  });

  handle(api, routes.listDeviceSources, async ({ caller }) =>
    (await hostSources.list(caller)).map(describeSource),
  );

  handle(api, routes.setDeviceSource, async ({ caller, params, body }) =>
    describeSource(await hostSources.set(caller, params.name, body.on)),
  );

  handle(
    api,
    routes.setDeviceTeam,
    ({ caller, params, body }) => describeDevice(devices.setTeam(caller, params.udid, body.teamId)),
    { authorizeResource: (caller, { udid }) => devices.checkKnown(caller, udid) },
  );

  handle(api, routes.releaseDevice, ({ caller, params }) => devices.release(caller, params.udid), {
    authorizeResource: (caller, { udid }) => devices.checkKnown(caller, udid),
  });

  const authorizeResource = (caller: Caller, { udid }: { udid: string }) => devices.checkKnown(caller, udid);
  handle(
    api,
    routes.setDeviceDescription,
    ({ caller, params, body }) => describeDevice(devices.describe(caller, params.udid, body)),
    { authorizeResource },
  );

  handle(
    api,
    routes.getDeviceHistory,
    ({ caller, params }) => describeHistory(devices.history(caller, params.udid)),
    { authorizeResource: (caller, { udid }) => void devices.history(caller, udid) },
  );

  handle(
    api,
    routes.getCleaningPlan,
    async ({ caller, params }) => {
      const { since, isKept, items } = await devices.cleaningPlan(caller, params.udid);
      return { since: since === null ? null : instant(since), kept: isKept, items: [...items] };
    },
    { authorizeResource },
  );

  handle(
    api,
    routes.setDeviceMaintenance,
    ({ caller, params, body }) => describeDevice(devices.beginMaintenance(caller, params.udid, body)),
    { authorizeResource },
  );

  handle(
    api,
    routes.endDeviceMaintenance,
    ({ caller, params }) => devices.endMaintenance(caller, params.udid),
    { authorizeResource },
  );

  handle(api, routes.setDeviceTags, ({ caller, body }) =>
    describeDevice(devices.setTags(caller, body.udid, body.tags)),
  );
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
