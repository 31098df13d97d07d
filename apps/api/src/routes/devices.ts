import { ADMIN, ANY_CALLER, actorOf, type Caller, isListed, maySeePhone, Refusal } from '@svc/auth-core';
import { DeviceAnswer, DeviceTagsBody, DeviceTeamBody, Type, UdidParams } from '@svc/contract';
import type { Phone, PhoneSetting } from '@svc/device-lab';
import type { Deps } from '../deps.ts';
import type { App, Host } from '../host.ts';
import { instant } from '../wire.ts';

/** Phones as their viewers see them: the shared pool and their teams'; Admins all (contract 3.5). */
export function deviceRoutes(api: App, { deps }: Host): void {
  const { lab, stores } = deps;

  api.get(
    '/devices',
    { config: { access: ANY_CALLER }, schema: { response: { 200: Type.Array(DeviceAnswer) } } },
    async ({ caller }) =>
      lab.phones
        .list()
        .filter(({ teamId }) => maySeePhone(caller, teamId))
        .map((phone) => describe(phone, caller, deps)),
  );

  const config = { access: ADMIN };
  const visible = (_caller: Caller, { udid = '' }: Readonly<Record<string, string>>) => {
    if (lab.phones.byUdid(udid) === undefined) throw new Refusal('not_found', 'unknown phone');
  };
  api.put(
    '/device/:udid/team',
    {
      config: { ...config, visible },
      schema: { params: UdidParams, body: DeviceTeamBody, response: { 200: DeviceAnswer } },
    },
    async ({ caller, params, body }) => {
      const { teamId } = body;
      return stores.transaction(() => {
        if (teamId !== null && stores.teams.byId(teamId) === undefined) throw new Refusal('unknown_team');
        return change(caller, params.udid, { teamId }, deps);
      });
    },
  );

  api.post(
    '/device/tags',
    { config, schema: { body: DeviceTagsBody, response: { 200: DeviceAnswer } } },
    async ({ caller, body }) => {
      const tags = [...new Set(body.tags)];
      return stores.transaction(() => change(caller, body.udid, { tags }, deps));
    },
  );
}

function change(
  caller: Caller,
  udid: string,
  wish: Partial<Pick<PhoneSetting, 'teamId' | 'tags'>>,
  deps: Deps,
) {
  const { lab, audit } = deps;
  if (lab.phones.byUdid(udid) === undefined) throw new Refusal('not_found', 'unknown phone');
  const reason = `phone: ${Object.keys(wish).join(', ')} changed`;
  audit.record('authz_admin', { ...actorOf(caller), target: udid, reason });
  // Last: what a failing row above would undo, memory would keep.
  return describe(lab.phones.change(udid, wish) as Phone, caller, deps);
}

function describe(phone: Phone, caller: Caller, { lab, stores }: Deps) {
  const running = lab.sessions.running().find(({ device }) => device?.udid === phone.udid);
  const shown = running !== undefined && isListed(caller, running.ownerId) ? running : undefined;
  return {
    udid: phone.udid,
    name: phone.name,
    platform: phone.platform,
    osVersion: phone.osVersion,
    team: phone.teamId === null ? null : (stores.teams.byId(phone.teamId) ?? null),
    node: null,
    status: lab.phones.statusOf(phone.udid),
    tags: [...lab.phones.tagsOf(phone.udid)],
    ...(shown === undefined
      ? {}
      : { session: { id: shown.id, name: shown.name, startedAt: instant(shown.startedAt) } }),
  };
}
