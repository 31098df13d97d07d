import { actorOf, type Caller, isListed, maySeeDevice, Refusal, type StoreTransaction } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { Device, DeviceSetting } from '@svc/device-lab';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import type { Services } from '../services.ts';
import { instant } from '../wire.ts';

/** Devices as their viewers see them: the shared pool and their teams'; Admins all (contract 3.5). */
export function deviceRoutes(api: App, { services }: HttpContext): void {
  const { lab, stores } = services;

  handle(api, routes.listDevices, ({ caller }) =>
    lab.devices
      .list()
      .filter(({ teamId }) => maySeeDevice(caller, teamId))
      .map((device) => describe(device, caller, services)),
  );

  handle(
    api,
    routes.setDeviceTeam,
    ({ caller, params, body: { teamId } }) =>
      stores.transaction((tx) => {
        if (teamId !== null && tx.teams.byId(teamId) === undefined) throw new Refusal('unknown_team');
        return change(tx, caller, params.udid, { teamId }, services);
      }),
    {
      authorizeResource: (_caller, { udid }) => {
        if (lab.devices.byUdid(udid) === undefined) throw new Refusal('not_found', 'unknown phone');
      },
    },
  );

  handle(api, routes.setDeviceTags, ({ caller, body }) => {
    const tags = [...new Set(body.tags)];
    return stores.transaction((tx) => change(tx, caller, body.udid, { tags }, services));
  });
}

function change(
  tx: StoreTransaction,
  caller: Caller,
  udid: string,
  input: Partial<Pick<DeviceSetting, 'teamId' | 'tags'>>,
  services: Services,
) {
  const { lab, audit } = services;
  if (lab.devices.byUdid(udid) === undefined) throw new Refusal('not_found', 'unknown phone');
  const reason = `phone: ${Object.keys(input).join(', ')} changed`;
  audit.record(tx, 'authz_admin', { ...actorOf(caller), target: udid, reason });
  // Last: what a failing row above would undo, memory would keep.
  return describe(lab.devices.change(udid, input) as Device, caller, services);
}

function describe(device: Device, caller: Caller, { lab, stores }: Services) {
  const running = lab.sessions.running().find((session) => session.device?.udid === device.udid);
  const shown = running !== undefined && isListed(caller, running.ownerId) ? running : undefined;
  return {
    udid: device.udid,
    name: device.name,
    platform: device.platform,
    osVersion: device.osVersion,
    team: device.teamId === null ? null : (stores.teams.byId(device.teamId) ?? null),
    node: null,
    status: lab.devices.statusOf(device.udid),
    tags: [...lab.devices.tagsOf(device.udid)],
    ...(shown === undefined
      ? {}
      : { session: { id: shown.id, name: shown.name, startedAt: instant(shown.startedAt) } }),
  };
}
