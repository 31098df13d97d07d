import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, type RunningServer, request, signIn, startLab } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';

const UDID = 'virtual-1';
const dataDir = freshDataDir();
let lab: RunningServer;
let admin: string;
let ana: Person;
let root: Person;

const start = async () => {
  lab = await startLab({ dataDir, env: { SVC_LAB_DEVICES: '1' } });
  admin = await signIn(lab.url);
};

beforeAll(async () => {
  await start();
  ana = await makePerson(lab, admin, 'ana@example.test');
  root = await makePerson(lab, admin, 'root@example.test', 'Super admin');
});
afterAll(() => lab.stop());

const maintenance = async (method: 'PUT' | 'DELETE', json?: object) => {
  const body = json === undefined ? {} : { json };
  const answer = await lab.api(`/device/${UDID}/maintenance`, {
    method,
    headers: { cookie: admin },
    ...body,
  });
  expect(answer.status).toBe(method === 'PUT' ? 200 : 204);
};
const create = (owner: Person, options: object = {}) =>
  createSession(lab.url, { ...pairOf(owner), ...options });
const command = (id: string, method = 'GET', path = '/timeouts') =>
  request(`${lab.url}/session/${id}${path}`, { method, headers: ana.headers });
const end = (id: string) => command(id, 'DELETE', '');
const outOfService = async () => {
  const answer = await lab.api('/devices', { headers: { cookie: ana.cookie } });
  return ((await answer.json()) as { outOfService: object | null }[])[0]?.outOfService;
};

describe('a phone that an Admin has put out of service', () => {
  it('a phone that an Admin has put out of service is told as a busy phone to every create, also of an override admin and of the holder of its lease (contract 17.1)', async () => {
    const running = await create(ana);
    const busy = await create(ana);
    expect([busy.status, busy.body.value.error]).toEqual([500, 'session not created']);
    await maintenance('PUT', { reason: 'screen is broken' });
    await end(running.body.value.sessionId);
    expect(await create(ana)).toEqual(busy);
    expect(await create(root)).toEqual(busy);
    await maintenance('DELETE');
    const json = { udid: UDID, minutes: 5 };
    const leased = await lab.api('/leases', { method: 'POST', headers: { cookie: ana.cookie }, json });
    const { leaseId, leaseToken } = (await leased.json()) as { leaseId: string; leaseToken: string };
    await maintenance('PUT', { reason: 'screen is broken' });
    expect(await create(ana, { leaseId, leaseToken })).toEqual(busy);
    await lab.api(`/leases/${leaseId}`, { method: 'DELETE', headers: { cookie: ana.cookie } });
    await maintenance('DELETE');
  });

  it('a phone that an Admin has put out of service keeps its running session, and goes to the create that waits when it is back (contract 17.1, 13)', async () => {
    const running = await create(ana);
    const id = running.body.value.sessionId;
    await maintenance('PUT', { reason: 'battery is swollen' });
    expect((await command(id)).status).toBe(200);
    await end(id);
    const waiting = create(ana, { queueSeconds: 60 });
    const queue = async () =>
      (await (await lab.api('/queue', { headers: { cookie: admin } })).json()) as { waiting: number };
    await until(queue, (now) => now.waiting === 1);
    await maintenance('DELETE');
    const served = await waiting;
    expect(served.status).toBe(200);
    await end(served.body.value.sessionId);
  });

  it('a phone that an Admin has put out of service stays out over a restart, and returns at the time that the Admin named (contract 17.1)', async () => {
    await maintenance('PUT', { reason: 'screen is broken' });
    await lab.stop();
    await start();
    expect(await outOfService()).toMatchObject({ reason: 'screen is broken', until: null });
    expect((await create(ana)).status).toBe(500);
    await maintenance('PUT', { reason: 'back soon', until: new Date(Date.now() + 1_500).toISOString() });
    expect(await until(outOfService, (out) => out === null)).toBeNull();
    const back = await create(ana);
    expect(back.status).toBe(200);
    await end(back.body.value.sessionId);
  });
});

describe('a phone whose driver refuses creates', () => {
  const refused = () =>
    createSession(lab.url, pairOf(ana), { capabilities: { 'appium:app': '/nowhere.xml' } });

  it('a phone whose driver refuses creates is out of service for five minutes after three in a row, and one that works in between begins anew (contract 17.2)', async () => {
    for (let turn = 0; turn < 2; turn += 1) expect((await refused()).status).toBe(500);
    const worked = await create(ana);
    expect(worked.status).toBe(200);
    await end(worked.body.value.sessionId);
    for (let turn = 0; turn < 2; turn += 1) await refused();
    expect(await outOfService()).toBeNull();
    await refused();
    const out = (await outOfService()) as { reason: string; by: null; since: string; until: string };
    expect(out).toMatchObject({ reason: 'the driver refused 3 creates in a row', by: null });
    expect(Date.parse(out.until) - Date.parse(out.since)).toBe(5 * 60_000);
    expect((await create(root)).body.value.message).toContain('busy');
    await maintenance('DELETE');
    const back = await create(ana);
    expect(back.status).toBe(200);
    await end(back.body.value.sessionId);
  });
});
