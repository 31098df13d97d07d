import { SvcClient } from '@svc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { logOf } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

const TYPED = 'typed-secret-4711 ✓';
const COPIED = 'copied-secret-0815';

let lab: RunningServer;
let admin: string;
let ana: Person;
let bob: Person;
let phone: { id: string; udid: string };

beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'debug', SVC_LOG_LEVEL: 'debug' } });
  admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
  bob = await makePerson(lab, admin, 'bob@example.org');
  const { value } = (await createSession(lab.url, pairOf(ana))).body;
  phone = { id: value.sessionId, udid: (value.capabilities as { udid: string }).udid };
});
afterAll(() => lab?.stop());

async function put(what: 'text' | 'tap' | 'clipboard', udid: string, cookie: string, json: unknown) {
  const answer = await lab.api(`/control/${udid}/${what}`, { method: 'POST', headers: { cookie }, json });
  const { status } = answer;
  const body = await answer.text();
  return { status, error: body === '' ? undefined : JSON.parse(body).error };
}
const type = (udid: string, cookie: string, text: unknown = TYPED) => put('text', udid, cookie, { text });

async function command(method: string, route: string, json?: unknown) {
  const answer = await request(`${lab.url}/session/${phone.id}${route}`, {
    method,
    ...(json === undefined ? {} : { json }),
  });
  return ((await answer.json()) as { value: unknown }).value;
}

describe('typing and clipboard', () => {
  it('type into the focused field of the phone, and are seen in no log (contract 2 /control, spec 5.5.3)', async () => {
    expect(await type(phone.udid, ana.cookie)).toMatchObject({ status: 204 });
    const found = await command('POST', '/element', { using: 'id', value: 'search' });
    const id = Object.values(found as object)[0];
    await command('POST', `/element/${id}/click`, {});
    expect(await type(phone.udid, ana.cookie)).toMatchObject({ status: 204 });
    expect(await put('clipboard', phone.udid, ana.cookie, { content: COPIED })).toMatchObject({
      status: 204,
    });

    const rows = await logOf(lab, ana.headers, phone.id);
    expect(rows.map(({ path, status }) => `${status} ${path}`)).toEqual(
      expect.arrayContaining([
        `204 /svc/api/control/${phone.udid}/text`,
        `204 /svc/api/control/${phone.udid}/clipboard`,
      ]),
    );
    const trail = await (await lab.api('/audit?limit=50', { headers: { cookie: admin } })).text();
    expect(trail).toContain('device_input');
    for (const text of [JSON.stringify(rows), trail]) expect(text).not.toMatch(/secret/);
    expect(lab.output()).not.toMatch(/typed-secret|copied-secret|Y29waWVkLXNlY3JldC0wODE1/);
    // This comes last, because Appium logs a text that a client reads.
    expect(await command('GET', `/element/${id}/text`)).toBe(TYPED);
  });

  it('typing and clipboard are for who may drive the session; without one there is nothing to drive (contract 2 /control)', async () => {
    const free = ['virtual-1', 'virtual-2'].find((udid) => udid !== phone.udid) as string;
    const none = { status: 409, error: 'device_not_yours' };
    expect(await type(phone.udid, bob.cookie)).toEqual(none);
    expect(await type(free, ana.cookie)).toEqual(none);
    expect(await put('clipboard', phone.udid, bob.cookie, { content: '' })).toEqual(none);
    expect(await type(phone.udid, admin)).toMatchObject({ status: 204 });
    expect(await type('nobody', ana.cookie)).toEqual({ status: 404, error: 'not_found' });
    // A Member's Profile token does not have the scope `devices` (contract 3.1).
    const unscoped = await lab.api(`/control/${phone.udid}/text`, {
      method: 'POST',
      headers: ana.headers,
      json: { text: 'x' },
    });
    expect(await unscoped.json()).toMatchObject({ error: 'insufficient_scope', required: 'devices' });
  });

  it('a hidden phone is an unknown one, byte for byte, before the body is looked at (contract 2 /control)', async () => {
    const client = new SvcClient({ url: lab.url, credential: { cookie: admin } });
    const team = await client.call('createTeam', { body: { name: 'closed' } });
    await client.call('setDeviceTeam', { params: { udid: 'virtual-4' }, body: { teamId: team.id } });
    for (const what of ['text', 'tap', 'clipboard']) {
      const ask = async (udid: string) => {
        const answer = await lab.api(`/control/${udid}/${what}`, {
          method: 'POST',
          headers: { cookie: bob.cookie, 'x-request-id': 'same' },
          json: { nonsense: true },
        });
        return { status: answer.status, body: await answer.text() };
      };
      expect(await ask('virtual-4')).toEqual(await ask('virtual-99'));
      expect((await ask('virtual-4')).status).toBe(404);
    }
  });

  it('a tap goes to that part of the screen, and its place is in log and trail (contract 2 /control)', async () => {
    const tap = (json: unknown, cookie = ana.cookie) => put('tap', phone.udid, cookie, json);
    expect(await tap({ x: 0.5, y: 0.25 })).toMatchObject({ status: 204 });
    const { width, height } = (await command('GET', '/window/rect')) as { width: number; height: number };
    const done = (await command('POST', '/se/log', { type: 'actions' })) as unknown[];
    expect(JSON.stringify(done.at(-1))).toContain(
      `"x":${Math.floor(width / 2)},"y":${Math.floor(height / 4)}`,
    );
    const rows = await logOf(lab, ana.headers, phone.id);
    expect(rows.find(({ path }) => path.endsWith('/tap'))).toMatchObject({ body: { x: 0.5, y: 0.25 } });
    const trail = await (await lab.api('/audit?limit=50', { headers: { cookie: admin } })).text();
    expect(trail).toContain('tap at 50 %, 25 %');
    expect(await tap({ x: 0, y: 0 }, bob.cookie)).toMatchObject({ error: 'device_not_yours' });
    for (const json of [{ x: 1.1, y: 0 }, { x: -0.1, y: 0 }, { x: '0', y: 0 }, { x: 0 }, { x: null, y: 0 }]) {
      expect(await tap(json)).toEqual({ status: 400, error: 'bad_request' });
    }
  });

  it('text to type that is too long, empty or not text is refused, and so is such a clipboard (contract 1)', async () => {
    for (const text of ['', 'x'.repeat(4_097), 7, null]) {
      expect(await type(phone.udid, ana.cookie, text)).toEqual({ status: 400, error: 'bad_request' });
    }
    const long = { content: 'x'.repeat(65_537) };
    expect(await put('clipboard', phone.udid, ana.cookie, long)).toMatchObject({ status: 400 });
    expect(await put('clipboard', phone.udid, ana.cookie, {})).toMatchObject({ status: 400 });
  });
});
