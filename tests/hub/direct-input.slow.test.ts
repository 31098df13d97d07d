import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InputPhones, inputPhones } from '../devices/support/input-phone.ts';
import type { RunningServer } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { devicesOf, type Hub, isThere, signInToNode, startHub, startNode, until } from './support/hub.ts';

let phones: InputPhones;
let hub: Hub;
let node: RunningServer;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  phones = await inputPhones(['far-adb']);
  hub = await startHub();
  node = await startNode(hub, { prefix: 'far', env: { SVC_ADB: `127.0.0.1:${phones.server.port}` } });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-adb'));
});
afterAll(() => phones?.close());

const post = (server: RunningServer, cookie: string, path: string, json: object) =>
  server.api(path, { method: 'POST', headers: { cookie }, json });

it("a phone of a node's adb server gets the input of the holder of its lease at the hub, and of nobody else (contract 2 /control, 8.3)", async () => {
  const input = (who: string, kind: string, body: object, server: RunningServer = hub) =>
    post(server, who, `/control/far-adb/${kind}`, body);
  const at = { x: 0.5, y: 0.5 };
  expect((await input(ana.cookie, 'tap', at)).status).toBe(409);
  const leased = await post(hub, ana.cookie, '/leases', { udid: 'far-adb', minutes: 5 });
  expect(leased.status).toBe(201);
  const inputs = [
    ['tap', at],
    ['swipe', { from: at, to: { x: 1, y: 1 }, durationMs: 200 }],
    ['key', { key: 'back' }],
    ['text', { text: 'it is "far"' }],
  ] as const;
  for (const [kind, body] of inputs) expect((await input(ana.cookie, kind, body)).status).toBe(204);
  const done = ['tap|540|1200', 'swipe|540|1200|1079|2399|200', 'keyevent|4', 'text|it is "far"'];
  expect(phones.inputs()).toEqual(done);

  const unsupported = await input(ana.cookie, 'text', { text: 'é' });
  expect([unsupported.status, await unsupported.json()]).toMatchObject([
    400,
    { error: 'unsupported_input', message: expect.stringContaining('ASCII') },
  ]);
  for (const who of [bob.cookie, hub.admin]) expect((await input(who, 'tap', at)).status).toBe(409);
  const own = await input(await signInToNode(node), 'tap', at, node);
  expect([own.status, await own.json()]).toMatchObject([403, { error: 'managed_by_hub' }]);
  const { leaseId } = (await leased.json()) as { leaseId: string };
  await hub.api(`/leases/${leaseId}`, { method: 'DELETE', headers: { cookie: ana.cookie } });
  expect((await input(ana.cookie, 'tap', at)).status).toBe(409);
  expect(phones.inputs()).toEqual(done);
});
