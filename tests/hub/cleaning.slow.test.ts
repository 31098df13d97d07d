import { ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drive } from '../drivers/support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from '../drivers/support/phone-lab.ts';
import { freePort, request } from '../support/lab.ts';
import { recordOf } from '../support/records.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { devicesOf, type Hub, isThere, nodeEnv, startHub, until } from './support/hub.ts';

const UDID = ANDROID_14.serial;
let hub: Hub;
let node: PhoneLab;
let ana: Person;
let bob: Person;
let root: Person;
let address: string;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_REQUIRE_COMMAND_AUTH: 'false' } });
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const env = { ...nodeEnv(hub, address), SVC_CLEAN: 'apps', SVC_PROBE_SECONDS: '0' };
  node = await startPhoneLab({ phones: [ANDROID_14], env, args: ['--port', String(port)] });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  root = await makePerson(hub, hub.admin, 'root@example.test', 'Super admin');
  await until(() => devicesOf(hub, hub.admin), isThere(UDID));
});
afterAll(() => node?.stop());

const phone = () => node.phones.phone(UDID);
const install = (name: string) =>
  phone().install({ name, versionCode: 1, versionName: '1', isSystem: false });
const statusOf = async () => (await devicesOf(hub, hub.admin)).find(({ udid }) => udid === UDID)?.status;
const lease = async ({ cookie }: Person) => {
  const headers = { cookie };
  const made = await hub.api('/leases', { method: 'POST', headers, json: { udid: UDID, minutes: 5 } });
  const { leaseId } = (await made.json()) as { leaseId: string };
  return { status: made.status, end: () => hub.api(`/leases/${leaseId}`, { method: 'DELETE', headers }) };
};

describe("a node's phone that is used through the hub", () => {
  it("a node's phone that is used through the hub is cleaned after the sessions of one account, not between them, and their records at the hub say so (contract 17.3, 8)", async () => {
    const first = await drive(hub, ana, node.capabilities);
    install('com.example.left');
    await first.end();
    const second = await drive(hub, ana, node.capabilities);
    expect(phone().packages.has('com.example.left')).toBe(true);
    await second.end();
    // The phone is kept for its last holder, so that no one else gets it before it is clean.
    expect(await statusOf()).toBe('busy');
    await until(statusOf, (status) => status === 'free');
    expect(phone().packages.has('com.example.left')).toBe(false);
    for (const { id } of [first, second]) {
      const cleanOf = async () => (await recordOf(hub, ana.headers, id)).clean;
      expect(await until(cleanOf, (clean) => clean?.state === 'cleaned')).toMatchObject({
        removed: ['com.example.left'],
      });
    }
  });

  it("a node's phone that is used through the hub stays as it is after a session with keep, and is read by a dry run through the hub, for Admins alone (contract 17.3, 8)", async () => {
    const plan = async (headers: Record<string, string>) => {
      const answer = await hub.api(`/device/${UDID}/cleaning`, { headers });
      return { status: answer.status, body: await answer.json() };
    };
    const ignored = await drive(hub, ana, node.capabilities, { keep: true });
    install('com.example.member');
    await ignored.end();
    await until(statusOf, (status) => status === 'free');
    expect(phone().packages.has('com.example.member')).toBe(false);
    const session = await drive(hub, root, node.capabilities, { keep: true });
    install('com.example.kept');
    expect(await plan({ cookie: hub.admin })).toMatchObject({
      status: 200,
      body: {
        kept: true,
        since: expect.any(String),
        items: [{ name: 'com.example.kept', why: 'it was not installed when the holder began' }],
      },
    });
    expect((await plan({ cookie: ana.cookie })).body).toMatchObject({ error: 'insufficient_role' });
    const headers = { 'x-svc-hub-token': 'x' };
    const direct = await request(`${address}/svc/api/device/${UDID}/cleaning`, { headers });
    expect(direct.status).toBe(401);
    await session.end();
    await until(statusOf, (status) => status === 'free');
    expect(phone().packages.has('com.example.kept')).toBe(true);
    const cleanOf = async () => (await recordOf(hub, root.headers, session.id)).clean;
    expect(await until(cleanOf, (clean) => clean?.state === 'kept')).toMatchObject({ removed: [] });
    expect((await plan({ cookie: hub.admin })).body).toEqual({ since: null, kept: false, items: [] });
  });

  it("a node's phone that is used through the hub is clean for the next holder after a lease with a session in it (contract 17.3, 8)", async () => {
    const held = await lease(ana);
    const session = await drive(hub, ana, node.capabilities);
    install('com.example.lease');
    await session.end();
    await held.end();
    expect((await lease(bob)).status).toBe(409);
    await until(statusOf, (status) => status === 'free');
    expect(phone().packages.has('com.example.lease')).toBe(false);
    const next = await lease(bob);
    expect(next.status).toBe(201);
    await next.end();
  });
});
