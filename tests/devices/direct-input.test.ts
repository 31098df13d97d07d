import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';
import { type InputPhones, inputPhones } from './support/input-phone.ts';

/** Body of any response. Each test casts it to the expected shape. */
// biome-ignore lint/suspicious/noExplicitAny: the tests compare the bodies
type Body = any;
type Api = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  json?: object,
) => Promise<{ status: number; body: Body }>;

let phones: InputPhones;
let running: RunningApp;
const now = Date.now();
let root: Api;
let ana: Api;
let bob: Api;
let admin: Api;
let inactive: Api;

async function signedIn(email: string, password: string): Promise<Api> {
  const { app, services } = running;
  const { cookie } = await services.modules.accounts.offers.passwordSignIn.open(
    { email, password, network: '', userAgent: null },
    { address: null, peer: null, requestId: null },
  );
  return withHeaders(app, { cookie: `svc_dashboard_session=${cookie}` });
}

function withHeaders(app: RunningApp['app'], headers: Record<string, string>): Api {
  return async (method, path, json) => {
    const answer = await app.inject({
      ...{ method, url: `/svc/api${path}`, headers: { host: 'lab', origin: 'http://lab', ...headers } },
      ...(json === undefined ? {} : { payload: json }),
    });
    return { status: answer.statusCode, body: answer.body === '' ? null : JSON.parse(answer.body) };
  };
}

async function person(email: string, role = 'Member'): Promise<Api> {
  const password = 'a long password of a test';
  await root('POST', '/users', { email, name: email, role, password });
  return await signedIn(email, password);
}

beforeAll(async () => {
  phones = await inputPhones(['phone-1', 'phone-2', 'phone-3']);
  running = await openApp(
    {
      SVC_ADB: `127.0.0.1:${phones.server.port}`,
      SVC_DEVICES: JSON.stringify([{ udid: 'plain', name: 'Plain', platform: 'Android', osVersion: '15' }]),
    },
    { clock: { now: () => now } },
  );
  root = await signedIn('admin@svc.local', 'svc-admin-please-change');
  ana = await person('ana@example.test');
  bob = await person('bob@example.test');
  admin = await person('admin@example.test', 'Admin');
  inactive = await person('inactive@example.test');
  await vi.waitFor(async () => expect((await root('GET', '/devices')).body).toHaveLength(4));
}, 60_000);
afterAll(async () => {
  await running.close();
  await phones.close();
});
beforeEach(() => phones.clear());

const tap = (as: Api, udid = 'phone-1') => as('POST', `/control/${udid}/tap`, { x: 0.5, y: 1 });
const lease = async (as: Api, udid = 'phone-1') =>
  (await as('POST', '/leases', { udid, minutes: 5 })).body.leaseId as string;
const NOT_YOURS = { status: 409, body: { error: 'device_not_yours' } };

describe('a phone of the adb server on which no session runs', () => {
  it('a phone of the adb server on which no session runs gets taps, swipes, keys and text of the holder of its lease, each with an audit row (contract 2 /control)', async () => {
    const id = await lease(ana);
    const listed = (await ana('GET', '/devices')).body;
    expect(listed.map(({ udid, directInput }: Body) => [udid, directInput]).sort()).toEqual([
      ['phone-1', true],
      ['phone-2', true],
      ['phone-3', true],
      ['plain', undefined],
    ]);
    const inputs = [
      ['tap', { x: 0.5, y: 1 }],
      ['swipe', { from: { x: 0, y: 0 }, to: { x: 1, y: 0.5 }, durationMs: 300 }],
      ['key', { key: 'home' }],
      ['text', { text: 'it\'s $(reboot) `reboot` "%s"\n' }],
    ] as const;
    for (const [kind, body] of inputs)
      expect(await ana('POST', `/control/phone-1/${kind}`, body)).toEqual({ status: 204, body: null });
    expect(phones.inputs()).toEqual([
      'tap|540|2399',
      'swipe|0|0|1079|1200|300',
      'keyevent|3',
      'text|it\'s $(reboot) `reboot` "%',
      'text|s"',
      'keyevent|66',
    ]);
    const { items } = (await root('GET', '/audit?limit=200')).body;
    const rows = items.filter(({ event, target }: Body) => event === 'device_input' && target === 'phone-1');
    expect(rows.map(({ reason, actorEmail }: Body) => `${actorEmail} ${reason}`).reverse()).toEqual(
      ['tap at 50 %, 100 %', 'swipe of 300 ms', 'key home', 'text of 29 characters'].map(
        (note) => `ana@example.test ${note}, lease ${id}`,
      ),
    );
    expect(JSON.stringify(items)).not.toContain('$(reboot)');
    await ana('DELETE', `/leases/${id}`);
  });

  it('a phone of the adb server on which no session runs refuses everybody without its lease, override admins included, and a hidden phone is unknown (contract 2 /control)', async () => {
    expect(await tap(ana)).toMatchObject(NOT_YOURS);
    const id = await lease(ana);
    for (const as of [bob, admin, root]) expect(await tap(as)).toMatchObject(NOT_YOURS);
    expect(await tap(bob, 'plain')).toMatchObject(NOT_YOURS);
    const nobody = withHeaders(running.app, {});
    for (const path of ['tap', 'swipe', 'key', 'text', 'clipboard'])
      expect(await nobody('POST', `/control/phone-1/${path}`, {})).toMatchObject({ status: 401 });
    expect(await nobody('GET', '/control/phone-1/screenshot')).toMatchObject({ status: 401 });
    const halves = withHeaders(running.app, { 'x-svc-token': 'svct_x' });
    expect(await tap(halves)).toMatchObject({ status: 401 });

    const { body: team } = await root('POST', '/teams', { name: 'Far' });
    await running.app.inject({
      ...{ method: 'PUT', url: '/svc/api/device/phone-2/team', payload: { teamId: team.id } },
      headers: await rootHeaders(),
    });
    for (const [method, path, body] of [
      ['POST', 'tap', { x: 0, y: 0 }],
      ['POST', 'swipe', { from: { x: 0, y: 0 }, to: { x: 0, y: 0 }, durationMs: 1 }],
      ['POST', 'key', { key: 'home' }],
      ['GET', 'screenshot', undefined],
    ] as const)
      expect(await ana(method, `/control/phone-2/${path}`, body)).toEqual(
        await ana(method, `/control/no-such/${path}`, body),
      );
    expect(phones.inputs()).toEqual([]);
    await ana('DELETE', `/leases/${id}`);
  });

  it('a phone of the adb server on which no session runs gets nothing of an input that waited until the lease had ended (contract 2 /control)', async () => {
    const id = await lease(ana, 'phone-3');
    phones.pause();
    const first = ana('POST', '/control/phone-3/text', { text: 'first' });
    const second = ana('POST', '/control/phone-3/text', { text: 'second' });
    await expect
      .poll(() => phones.server.asked.filter((each) => each.startsWith("shell:input text 'first'")))
      .toHaveLength(1);
    await ana('DELETE', `/leases/${id}`);
    phones.resume();
    expect((await first).status).toBe(204);
    expect(await second).toMatchObject(NOT_YOURS);
    expect(phones.inputs()).toEqual(['text|first']);
  });

  it('a phone of the adb server on which no session runs loses its inputs with the account of the holder (contract 4)', async () => {
    await lease(inactive, 'phone-3');
    expect((await tap(inactive, 'phone-3')).status).toBe(204);
    const users = (await root('GET', '/users')).body;
    const { id } = users.find(({ email }: Body) => email === 'inactive@example.test');
    await running.app.inject({
      ...{ method: 'PATCH', url: `/svc/api/users/${id}`, payload: { status: 'Inactive' } },
      headers: await rootHeaders(),
    });
    expect((await tap(inactive, 'phone-3')).status).toBe(401);
  });

  it('a phone of the adb server on which no session runs refuses in words what it cannot do without a session (contract 2 /control)', async () => {
    const id = await lease(ana);
    const refused = {
      status: 400,
      body: { error: 'unsupported_input', message: expect.stringMatching(/session/) },
    };
    for (const text of ['é', '漢字', 'a\u0000b', '😀'])
      expect(await ana('POST', '/control/phone-1/text', { text })).toMatchObject(refused);
    expect(await ana('POST', '/control/phone-1/clipboard', { content: 'x' })).toMatchObject(refused);
    expect(await ana('POST', '/control/phone-1/key', { key: 'delete' })).toMatchObject({
      status: 502,
      body: { error: 'driver_failed' },
    });
    for (const body of [{ key: 'reboot' }, { key: 3 }, {}])
      expect((await ana('POST', '/control/phone-1/key', body)).status).toBe(400);
    for (const durationMs of [0, 5_001, 1.5, '1; reboot'])
      expect(
        (
          await ana('POST', '/control/phone-1/swipe', {
            from: { x: 0, y: 0 },
            to: { x: 1, y: 1 },
            durationMs,
          })
        ).status,
      ).toBe(400);
    await ana('DELETE', `/leases/${id}`);
  });

  it('a phone of the adb server on which no session runs gets no direct input while a session starts or runs on it, whoever holds the lease (contract 2 /control)', async () => {
    const { lab } = running.services.modules.lab.offers;
    const id = await lease(ana);
    lab.devices.hold('phone-1');
    expect(await tap(ana)).toMatchObject(NOT_YOURS);
    lab.devices.release('phone-1');
    await ana('DELETE', `/leases/${id}`);
    await lab.creates.createSession(
      sampleAdmission(),
      { alwaysMatch: { 'appium:udid': 'phone-1' } },
      sampleStart('s1'),
    );
    expect(await tap(ana)).toMatchObject(NOT_YOURS);
    const key = await root('POST', '/control/phone-1/key', { key: 'home' });
    expect(key).toMatchObject({ status: 400, body: { error: 'unsupported_input' } });
    expect(phones.inputs()).toEqual([]);
    lab.recordEnd('s1', { category: null, reason: null });
  });
});

async function rootHeaders() {
  const { cookie } = await running.services.modules.accounts.offers.passwordSignIn.open(
    { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
    { address: null, peer: null, requestId: null },
  );
  return { cookie: `svc_dashboard_session=${cookie}`, host: 'lab', origin: 'http://lab' };
}
