import { once } from 'node:events';
import { ANDROID_14, AndroidPhones, IPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, request } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { devicesOf, type Hub, isThere, signInToNode, startHub, startNode, until } from './support/hub.ts';

const UDID = ANDROID_14.serial;
const IPHONE = '00008101-000A1B2C3D4E001E';
let phones: AndroidPhones;
let iPhones: IPhones;
let hub: Hub;
let node: RunningServer;
let ana: Person;

beforeAll(async () => {
  phones = await AndroidPhones.start({ phones: [ANDROID_14] });
  iPhones = await IPhones.start({ phones: [{ udid: IPHONE }] });
  hub = await startHub();
  node = await startNode(hub, {
    prefix: 'far',
    env: { SVC_ADB: `127.0.0.1:${phones.adb.port}`, SVC_IOS: 'true', ...iPhones.env },
  });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere(UDID));
});
afterAll(async () => {
  await phones?.stop();
  await iPhones?.stop();
});

const post = (server: RunningServer, cookie: string, path: string, json?: object) =>
  server.api(path, { method: 'POST', headers: { cookie }, ...(json === undefined ? {} : { json }) });

async function open(cookie: string, path = `${UDID}/adb`) {
  const { ticket } = (await (await post(hub, cookie, `/control/${path}/ticket`)).json()) as {
    ticket: string;
  };
  const { socket } = await upgrade(hub.url, `/svc/api/control/${path}?ticket=${ticket}`);
  if (socket === undefined) throw new Error('refused');
  return socket;
}

it("a hub shows the facts of a node's phone and matches them (contract 14.4)", async () => {
  const phone = await until(
    () => devicesOf(hub, hub.admin),
    (devices) => devices.some(({ udid, model }) => udid === UDID && model === 'Pixel 8'),
  );
  expect(phone.find(({ udid }) => udid === UDID)).toMatchObject({ apiLevel: 34, kind: 'real' });
  const match = await post(hub, ana.cookie, '/devices/match', {
    capabilities: { platformName: 'Android', 'appium:platformVersion': '14' },
  });
  expect((await match.json()) as object).toMatchObject({ fits: [{ udid: UDID }] });
});

it('an attach address of a session on a node reaches it through the hub and ends with DELETE (contract 15.4, 8.2)', async () => {
  const { body } = await createSession(hub.url, pairOf(ana), { capabilities: { 'appium:udid': 'far-1' } });
  const id = body.value.sessionId;
  const path = `/session/${id}/attach`;
  const made = await hub.api(path, { method: 'POST', headers: ana.headers, json: { minutes: 5 } });
  const { attachId, url } = (await made.json()) as { attachId: string; url: string };
  const source = () => request(`${url}/session/${id}/source`);
  expect([made.status, (await source()).status]).toEqual([201, 200]);
  expect((await request(`${url}/session/other/source`)).status).toBe(404);
  const elsewhere = url.replace(hub.url, node.url);
  expect((await request(`${elsewhere}/session/${id}/source`)).status).toBe(404);
  expect((await hub.api(`${path}/${attachId}`, { method: 'DELETE', headers: ana.headers })).status).toBe(204);
  expect((await source()).status).toBe(404);
});

it("the holder of a node's phone uses its adb through the hub, which refuses services and ends it with the lease (contract 16.2, 16.3)", async () => {
  const ticket = (server: RunningServer, cookie: string) =>
    post(server, cookie, `/control/${UDID}/adb/ticket`);
  expect((await ticket(hub, ana.cookie)).status).toBe(409);
  const leased = await post(hub, ana.cookie, '/leases', { udid: UDID, minutes: 5 });
  const { leaseId } = (await leased.json()) as { leaseId: string };
  const own = await ticket(node, await signInToNode(node));
  expect([own.status, await own.json()]).toMatchObject([403, { error: 'managed_by_hub' }]);

  const shell = await open(ana.cookie);
  const messages: string[] = [];
  shell.on('message', (content) => messages.push(String(content)));
  const ended = once(shell, 'close');
  shell.send(JSON.stringify({ service: 'shell:getprop ro.build.version.release' }));
  expect((await ended)[0]).toBe(1000);
  expect(messages[0]).toBe('{"ok":true}');
  expect(messages.slice(1).join('').trim()).toBe('14');

  const about = await open(ana.cookie);
  const answered = once(about, 'message');
  about.send(JSON.stringify({ about: true }));
  expect(JSON.parse(String((await answered)[0])).about.features).toContain('shell_v2');
  const refused = once(about, 'message');
  about.send(JSON.stringify({ service: 'reboot:' }));
  expect(JSON.parse(String((await refused)[0]))).toMatchObject({ ok: false });
  expect(phones.phone(UDID).reboots).toBe(0);

  const cut = once(about, 'close');
  await hub.api(`/leases/${leaseId}`, { method: 'DELETE', headers: { cookie: ana.cookie } });
  expect((await cut)[0]).toBe(1008);
  await close(about);
});

it("the holder of a node's iPhone reaches its ports through the hub until the lease ends (contract 16.3, 16.4)", async () => {
  await until(() => devicesOf(hub, hub.admin), isThere(IPHONE));
  const ticket = (server: RunningServer, cookie: string) =>
    post(server, cookie, `/control/${IPHONE}/usb/ticket`);
  expect((await ticket(hub, ana.cookie)).status).toBe(409);
  const leased = await post(hub, ana.cookie, '/leases', { udid: IPHONE, minutes: 5 });
  const { leaseId } = (await leased.json()) as { leaseId: string };
  const own = await ticket(node, await signInToNode(node));
  expect([own.status, await own.json()]).toMatchObject([403, { error: 'managed_by_hub' }]);

  const socket = await open(ana.cookie, `${IPHONE}/usb`);
  const accepted = once(socket, 'message');
  socket.send(JSON.stringify({ service: 'tcp:8100' }));
  expect(JSON.parse(String((await accepted)[0]))).toEqual({ ok: true });
  const answered = once(socket, 'message');
  socket.send(Buffer.from('GET /status HTTP/1.1\r\nHost: phone\r\n\r\n'));
  expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 200/);

  const refused = await open(ana.cookie, `${IPHONE}/usb`);
  const answer = once(refused, 'message');
  refused.send(JSON.stringify({ service: `ReadPairRecord:${IPHONE}` }));
  expect(JSON.parse(String((await answer)[0]))).toMatchObject({ ok: false });
  await close(refused);

  const cut = once(socket, 'close');
  await hub.api(`/leases/${leaseId}`, { method: 'DELETE', headers: { cookie: ana.cookie } });
  expect((await cut)[0]).toBe(1008);
});
