import { routes } from '@svc/contract';
import type { DeviceView, LiveLease, SessionView } from '@svc/device-lab';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { instant } from '../wire/instant.ts';

/** Registers the routes for devices, which show only the devices that the caller may see (contract 2, 3.5). */
export function deviceRoutes(api: App, { services: { devices } }: HttpContext): void {
  handle(api, routes.listDevices, ({ caller }) => devices.list(caller).map(describeDevice));

  handle(
    api,
    routes.setDeviceTeam,
    ({ caller, params, body }) => describeDevice(devices.setTeam(caller, params.udid, body.teamId)),
    { authorizeResource: (caller, { udid }) => devices.checkKnown(caller, udid) },
  );

  handle(api, routes.setDeviceTags, ({ caller, body }) =>
    describeDevice(devices.setTags(caller, body.udid, body.tags)),
  );
}

/** @returns a device in the shape of `GET /devices` */
export function describeDevice({ device, team, status, tags, session, lease }: DeviceView) {
  return {
    udid: device.udid,
    name: device.name,
    platform: device.platform,
    osVersion: device.osVersion,
    team,
    node: device.node,
    status,
    tags,
    ...(lease === null ? {} : { lease: leaseOf(lease) }),
    ...(session === null ? {} : { session: sessionOf(session) }),
  };
}

function leaseOf({ owner, lease }: LiveLease) {
  return { owner: { id: owner.id, email: owner.email }, expiresAt: instant(lease.expiresAt) };
}

function sessionOf({ session: { id, name, startedAt }, owner }: SessionView) {
  return { id, name, owner, startedAt: instant(startedAt) };
}
