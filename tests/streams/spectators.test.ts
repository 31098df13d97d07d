import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, startApi, startLab } from '../support/lab.ts';
import { read } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

/** Spectators: people who look at the screen of a phone that somebody else holds. */

interface Link {
  readonly watchId: string;
  readonly url: string;
}
interface Shown {
  readonly watchId: string;
  readonly watching: readonly { readonly viewerId: string; readonly account: { email: string } | null }[];
}

let lab: RunningServer;
let admin: string;
let ana: Person;
let bob: Person;
let eve: Person;

beforeAll(async () => {
  lab = await startLab({
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_SPECTATORS: 'anyone', SVC_LOG_LEVEL: 'debug' },
  });
  admin = await superAdmin(lab);
  const person = (name: string) => makePerson(lab, admin, `${name}@example.org`);
  [ana, bob, eve] = [await person('ana'), await person('bob'), await person('eve')];
});
afterAll(() => lab?.stop());

const as = ({ cookie }: Person) => ({ cookie });

async function lease(udid: string): Promise<string> {
  const answer = await lab.api('/leases', { method: 'POST', headers: as(ana), json: { udid, minutes: 5 } });
  return ((await answer.json()) as { leaseId: string }).leaseId;
}

async function share(udid: string, json: object): Promise<Link> {
  const answer = await lab.api(`/control/${udid}/watch`, { method: 'POST', headers: as(ana), json });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Link;
}

const secretOf = ({ url }: Link) => url.slice(url.indexOf('#') + 1);

async function open(link: Link, viewer: Person | null) {
  const path = viewer === null ? '/watch/anyone' : '/watch/account';
  const headers = viewer === null ? {} : as(viewer);
  const answer = await lab.api(path, { method: 'POST', headers, json: { secret: secretOf(link) } });
  return { status: answer.status, body: (await answer.json()) as { ticket: string; error?: string } };
}

/** Opens the stream of a ticket. `ended` resolves when the server ends it. */
async function watch(ticket: string) {
  const answer = await fetch(`${lab.url}/svc/api/watch/stream?ticket=${ticket}`);
  const reader = answer.body?.getReader();
  const first = answer.status === 200 ? await reader?.read() : undefined;
  const drain = async (): Promise<string> => {
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return 'ended';
    }
  };
  return { status: answer.status, first, ended: () => drain().catch(() => 'ended') };
}

const shown = (udid: string) => read<Shown[]>(lab, as(ana), `/control/${udid}/watch`);

it('the holder of a lease shows a phone to one account, sees who watches, and cuts the stream', async () => {
  await lease('virtual-1');
  const link = await share('virtual-1', { for: 'account', account: 'bob@example.org', minutes: 5 });
  expect(link.url).toMatch(new RegExp(`^${lab.url}/svc/watch#[\\w-]{43}$`));
  for (const viewer of [eve, null]) expect((await open(link, viewer)).status).toBe(404);
  const { status, body } = await open(link, bob);
  expect(status).toBe(200);
  const stream = await watch(body.ticket);
  expect([stream.status, (await watch(body.ticket)).status]).toEqual([200, 401]);
  const [{ watching }] = (await shown('virtual-1')) as [Shown];
  expect(watching).toMatchObject([{ account: { email: 'bob@example.org' } }]);
  const viewer = `/control/virtual-1/watch/${link.watchId}/viewers/${watching[0]?.viewerId}`;
  expect((await lab.api(viewer, { method: 'DELETE', headers: as(bob) })).status).toBe(409);
  expect((await lab.api(viewer, { method: 'DELETE', headers: as(ana) })).status).toBe(204);
  expect(await stream.ended()).toBe('ended');
  expect((await open(link, bob)).status).toBe(404);
  const other = await share('virtual-1', { for: 'account', account: 'bob@example.org' });
  const again = await watch((await open(other, bob)).body.ticket);
  const ended = await lab.api(`/control/virtual-1/watch/${other.watchId}`, {
    method: 'DELETE',
    headers: as(ana),
  });
  expect([ended.status, await again.ended()]).toEqual([204, 'ended']);
  expect((await open(other, bob)).status).toBe(404);
});

it('a link for anybody works without a credential, gives no control, and ends with the lease', async () => {
  const leaseId = await lease('virtual-2');
  const link = await share('virtual-2', { for: 'anyone' });
  const { ticket } = (await open(link, null)).body;
  const stream = await watch(ticket);
  expect(stream.status).toBe(200);
  for (const path of ['/control/virtual-2/stream', '/control/virtual-2/logs'])
    expect((await lab.api(`${path}?ticket=${ticket}`)).status).toBeGreaterThanOrEqual(401);
  await lab.api(`/leases/${leaseId}`, { method: 'DELETE', headers: as(ana) });
  expect(await stream.ended()).toBe('ended');
  expect((await open(link, null)).status).toBe(404);
});

it('a link ends with the session of its holder, and nobody but the holder makes one', async () => {
  const id = (
    await createSession(lab.url, { ...pairOf(ana) }, { capabilities: { 'appium:udid': 'virtual-3' } })
  ).body.value.sessionId;
  const link = await share('virtual-3', { for: 'anyone' });
  const asked = (udid: string, viewer: Person) =>
    lab.api(`/control/${udid}/watch`, { method: 'POST', headers: as(viewer), json: { for: 'anyone' } });
  expect((await asked('virtual-3', bob)).status).toBe(409);
  expect((await asked('unknown', bob)).status).toBe(404);
  const stream = await watch((await open(link, null)).body.ticket);
  await lab.api(`/session/${id}`, { method: 'DELETE', headers: as(ana) });
  expect(await stream.ended()).toBe('ended');
});

it('a link for a team admits its members while they are members, and is refused for a team of others', async () => {
  const post = (path: string, json: object, headers: Record<string, string> = { cookie: admin }) =>
    lab.api(path, { method: 'POST', headers, json });
  const team = async (name: string) => ((await (await post('/teams', { name })).json()) as { id: string }).id;
  const [own, foreign] = [await team('Watchers'), await team('Others')];
  const member = (id: string, person: Person) => post(`/teams/${id}/members`, { userId: person.userId });
  expect((await member(own, ana)).status).toBe(201);
  expect((await member(own, bob)).status).toBe(201);
  expect((await member(foreign, eve)).status).toBe(201);

  const leaseId = await lease('virtual-1');
  const refused = await post('/control/virtual-1/watch', { for: 'team', team: foreign }, as(ana));
  expect([refused.status, await refused.json()]).toEqual([400, { error: 'unknown_team' }]);
  for (const json of [
    { for: 'team' },
    { for: 'team', team: own, account: 'bob@example.org' },
    { for: 'anyone', team: own },
    { for: 'account', team: own },
  ])
    expect((await post('/control/virtual-1/watch', json, as(ana))).status).toBe(400);

  const link = await share('virtual-1', { for: 'team', team: own });
  for (const viewer of [eve, null]) expect((await open(link, viewer)).status).toBe(404);
  const stream = await watch((await open(link, bob)).body.ticket);
  expect(stream.status).toBe(200);
  const { watching } = (await shown('virtual-1')).find(({ watchId }) => watchId === link.watchId) as Shown;
  expect(watching).toMatchObject([{ account: { email: 'bob@example.org' } }]);
  const unused = (await open(link, bob)).body.ticket;
  const left = await lab.api(`/teams/${own}/members/${bob.userId}`, {
    method: 'DELETE',
    headers: { cookie: admin },
  });
  expect(left.status).toBe(204);
  expect(await stream.ended()).toBe('ended');
  expect((await watch(unused)).status).toBe(401);
  expect((await open(link, bob)).status).toBe(404);
  await lab.api(`/leases/${leaseId}`, { method: 'DELETE', headers: as(ana) });
});

it('a link for an account is made for any address or id, and its response tells nothing about accounts', async () => {
  const leaseId = await lease('virtual-1');
  const team = await (
    await lab.api('/teams', { method: 'POST', headers: { cookie: admin }, json: { name: 'Elsewhere' } })
  ).json();
  const put = await makePerson(lab, admin, 'put-out@example.org');
  const inactive = { method: 'PATCH', headers: { cookie: admin }, json: { status: 'Inactive' } };
  expect((await lab.api(`/users/${put.userId}`, inactive)).status).toBe(200);
  const shapes = new Set<string>();
  for (const account of [
    'bob@example.org',
    'admin@svc.local',
    'put-out@example.org',
    'nobody@example.org',
    bob.userId,
    '00000000-0000-4000-8000-000000000000',
    (team as { id: string }).id,
    'no address',
  ]) {
    const answer = await lab.api('/control/virtual-1/watch', {
      method: 'POST',
      headers: as(ana),
      json: { for: 'account', account },
    });
    const body = (await answer.json()) as Link;
    shapes.add(`${answer.status} ${Object.keys(body).join()}`);
    const isBobs = account === bob.userId || account === 'bob@example.org';
    expect((await open(body, bob)).status, account).toBe(isBobs ? 200 : 404);
    expect((await open(body, eve)).status).toBe(404);
    await lab.api(`/control/virtual-1/watch/${body.watchId}`, { method: 'DELETE', headers: as(ana) });
  }
  expect([...shapes]).toEqual(['201 watchId,url,expiresAt']);
  await lab.api(`/leases/${leaseId}`, { method: 'DELETE', headers: as(ana) });
});

it('no more than eight spectators watch a phone, and no log or audit row contains the secret of a link', async () => {
  await lease('virtual-4');
  const link = await share('virtual-4', { for: 'anyone' });
  const streams = [];
  for (let count = 0; count < 8; count += 1) streams.push(await watch((await open(link, null)).body.ticket));
  expect(streams.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await watch((await open(link, null)).body.ticket)).status).toBe(503);
  await lab.api(`/control/virtual-4/watch/${link.watchId}`, { method: 'DELETE', headers: as(ana) });
  for (const stream of streams) expect(await stream.ended()).toBe('ended');
  const audit = await read<{ items: { event: string }[] }>(lab, { cookie: admin }, '/audit?limit=200');
  for (const event of ['spectator_link_created', 'spectator_joined', 'spectator_cut', 'spectator_link_ended'])
    expect(audit.items.map((row) => row.event)).toContain(event);
  expect(JSON.stringify(audit)).not.toContain(secretOf(link));
  expect(lab.output()).not.toContain(secretOf(link));
});

it('a link for anybody is refused unless the lab allows it', async () => {
  const devices = [{ udid: 'listed-1', name: 'Listed', platform: 'Android', osVersion: '14' }];
  const api = await startApi({ env: { SVC_DEVICES: JSON.stringify(devices) } });
  const headers = { cookie: await superAdmin(api) };
  await api.api('/leases', { method: 'POST', headers, json: { udid: 'listed-1', minutes: 5 } });
  const answer = await api.api('/control/listed-1/watch', {
    method: 'POST',
    headers,
    json: { for: 'anyone' },
  });
  expect([answer.status, await answer.json()]).toEqual([403, { error: 'spectators_off' }]);
  await api.stop();
});
