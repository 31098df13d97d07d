import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, type RunningServer, request, startLab } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { type LogRow, read } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';

interface Made {
  readonly attachId: string;
  readonly url: string;
  readonly expiresAt: string;
}

const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';
const NOBODYS = `svca_${'A'.repeat(49)}`;
const BASE = '/wd/hub';

let lab: RunningServer;
let admin: string;
let root: Person['headers'];
let ana: Person;
let bob: Person;
let id: string;
let foreign: string;

beforeAll(async () => {
  const env = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_LOG_LEVEL: 'debug', SVC_LAB_LOG_LEVEL: 'debug' };
  lab = await startLab({ env: { ...env, SVC_BASE_PATH: BASE } });
  admin = await superAdmin(lab);
  root = (await makeToken(lab.url, admin)).headers;
  [ana, bob] = [
    await makePerson(lab, admin, 'ana@example.org'),
    await makePerson(lab, admin, 'bob@example.org'),
  ];
  [id, foreign] = [await sessionOf(ana), await sessionOf(bob)];
});
afterAll(() => lab?.stop());

const sessionOf = async (owner: Person) => (await createSession(lab.url, pairOf(owner))).body.value.sessionId;

async function attach(headers: Record<string, string>, session = id, minutes?: number): Promise<Made> {
  const json = minutes === undefined ? {} : { minutes };
  const answer = await lab.api(`/session/${session}/attach`, { method: 'POST', headers, json });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Made;
}

const list = (headers: Record<string, string>, session = id) =>
  read<{ attachId: string; lastUsedAt: string | null }[]>(lab, headers, `/session/${session}/attach`);

/** Sends a request to an address, as a client without credentials does, and returns what it can tell apart. */
async function below(url: string, path: string, init: RequestInit & { json?: unknown } = {}) {
  const headers = { 'x-request-id': 'same', ...(init.headers as Record<string, string>) };
  const answer = await request(`${url}${path}`, { ...init, headers });
  const received = [...answer.headers].filter(([name]) => name !== 'date');
  return { status: answer.status, headers: answer.headers, received, body: await answer.text() };
}

async function endAll(): Promise<void> {
  for (const { attachId } of await list(ana.headers))
    await lab.api(`/session/${id}/attach/${attachId}`, { method: 'DELETE', headers: ana.headers });
}

describe('an attach address', () => {
  it('an attach address gives its session, its list and the status to a client without credentials (contract 15.4)', async () => {
    const { attachId, url, expiresAt } = await attach(ana.headers);
    expect(url).toMatch(new RegExp(`^${lab.url}/svc/attach/svca_[0-9A-Za-z]{49}$`));
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(29 * 60_000);
    expect(await list(ana.headers)).toEqual([
      { attachId, createdAt: expect.any(String), expiresAt, lastUsedAt: null },
    ]);
    const source = await below(url, `/session/${id}/source`);
    expect([source.status, source.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const set = await below(url, `/session/${id}/timeouts`, { method: 'POST', json: { implicit: 7 } });
    expect(set.status).toBe(200);
    for (const path of ['/sessions', '/appium/sessions']) {
      const { status, body } = await below(url, path);
      expect(status).toBe(200);
      expect(JSON.parse(body).value).toMatchObject([{ id, capabilities: { platformName: 'Fake' } }]);
    }
    expect((await below(url, '/status')).status).toBe(200);
    const uses = await read<{ lastUsedBy: unknown }>(lab, ana.headers, `/session/${id}/attach/${attachId}`);
    expect(uses.lastUsedBy).toMatchObject({ address: '127.0.0.1' });
    await endAll();
  });

  it('every other target below an attach address is answered like an unknown session (contract 15.4)', async () => {
    const { url } = await attach(ana.headers);
    const unknown = await below(url, `/session/${UNKNOWN_ID}/source`);
    expect(unknown).toMatchObject({ status: 404, body: expect.stringContaining('invalid session id') });
    const others = [
      ['GET', `/session/${foreign}/source`],
      ['DELETE', `/session/${foreign}`],
      ['GET', `/session/${id}x`],
      ['GET', `//session/${id}/source`],
      ['GET', `${BASE}/session/${id}/source`],
      ['GET', '/'],
      ['GET', ''],
      ['GET', '/svc/api/auth/me'],
      ['GET', '/svc/lab.json'],
      ['GET', '/appium/device/list'],
      ['DELETE', '/sessions'],
      ['GET', '/session'],
      ['GET', '/../../api/sessions'],
    ] as const;
    for (const [method, path] of others) {
      const { status, body } = await rawRequest(lab.url, `${new URL(url).pathname}${path}`, {
        method,
        headers: { ...bob.headers, Cookie: bob.cookie },
      });
      expect([status, body], path).toEqual([404, unknown.body]);
    }
    const dead = `${lab.url}/svc/attach/${NOBODYS}`;
    for (const path of [`/session/${id}/source`, '/sessions', '/status'])
      expect((await below(dead, path)).received, path).toEqual(unknown.received);
    for (const address of [url, dead]) {
      const json = { capabilities: { alwaysMatch: { 'svc:options': pairOf(bob) } } };
      const created = await below(address, '/session', { method: 'POST', json });
      expect([created.status, created.body]).toEqual([500, expect.stringContaining('session not created')]);
    }
    await endAll();
  });

  it('pages of any origin may call an attach address, but send no credentials to it (contract 15.4)', async () => {
    const { url } = await attach(ana.headers);
    for (const address of [url, `${lab.url}/svc/attach/${NOBODYS}`]) {
      const preflight = await below(address, `/session/${id}/element`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://tool.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
      expect(preflight.status).toBe(204);
      expect(Object.fromEntries(preflight.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': '*',
        'access-control-allow-methods': expect.stringContaining('DELETE'),
      });
      expect(preflight.headers.has('access-control-allow-credentials')).toBe(false);
    }
    await endAll();
  });

  it('a session has at most four attach addresses, and only those who may drive it make, see and end them (contract 15.4)', async () => {
    const made = [];
    for (let count = 0; count < 4; count += 1) made.push(await attach(ana.headers));
    const fifth = await lab.api(`/session/${id}/attach`, { method: 'POST', headers: ana.headers, json: {} });
    expect([fifth.status, await fifth.json()]).toEqual([409, { error: 'too_many', limit: 4 }]);
    for (const minutes of [0, 121, 1.5, '30', null]) {
      const bad = await lab.api(`/session/${id}/attach`, {
        method: 'POST',
        headers: ana.headers,
        json: { minutes },
      });
      expect([bad.status, ((await bad.json()) as { error: string }).error]).toEqual([400, 'bad_request']);
    }
    const [first] = made as [Made];
    for (const [method, path] of [
      ['POST', '/attach'],
      ['GET', '/attach'],
      ['GET', `/attach/${first.attachId}`],
      ['DELETE', `/attach/${first.attachId}`],
    ] as const) {
      const ask = async (session: string) => {
        const answer = await lab.api(`/session/${session}${path}`, { method, headers: bob.headers });
        return [answer.status, await answer.text()];
      };
      expect(await ask(id), path).toEqual(await ask(UNKNOWN_ID));
    }
    const gone = await lab.api(`/session/${id}/attach/${first.attachId}`, {
      method: 'DELETE',
      headers: root,
    });
    expect(gone.status).toBe(204);
    expect((await below(first.url, `/session/${id}/source`)).status).toBe(404);
    expect(await list(ana.headers)).toHaveLength(3);
    await endAll();
  });

  it('commands through an attach address count as the maker’s and say that they came through it (contract 15.4)', async () => {
    const { url, attachId } = await attach(ana.headers);
    expect((await below(url, `/session/${id}/context`)).status).toBe(200);
    await below(url, `/session/${foreign}/source`);
    const rows = await read<(LogRow & { via?: string })[]>(lab, ana.headers, `/session/${id}/session_log`);
    expect(rows.at(-1)).toMatchObject({ path: `${BASE}/session/${id}/context`, via: 'attach' });
    const { items } = await read<{ items: { event: string; via: string | null; reason: string }[] }>(
      lab,
      root,
      '/audit?limit=200',
    );
    expect(items).toContainEqual(
      expect.objectContaining({
        event: 'session_first_command',
        actor: ana.userId,
        target: id,
        via: 'attach',
      }),
    );
    const reason = expect.stringContaining(attachId);
    expect(items).toContainEqual(
      expect.objectContaining({ event: 'attach_created', actor: ana.userId, reason }),
    );
    await endAll();
  });

  it('sockets below an attach address are those of its session, and end with it (contract 15.4)', async () => {
    const { url, attachId } = await attach(ana.headers);
    const path = new URL(url).pathname;
    for (const target of [
      `/bidi/${foreign}`,
      `/ws/session/${foreign}/appium/device/logcat`,
      '/bidi',
      '/svc/api/events',
    ])
      expect((await upgrade(lab.url, `${path}${target}`, bob.headers)).status, target).toBe(404);
    expect((await upgrade(lab.url, `/svc/attach/${NOBODYS}/bidi/${id}`)).status).toBe(404);
    const { status, socket } = await upgrade(lab.url, `${path}/bidi/${id}`);
    expect(status).toBe(101);
    const closed = new Promise((done) => socket?.once('close', done));
    await lab.api(`/session/${id}/attach/${attachId}`, { method: 'DELETE', headers: ana.headers });
    expect(await closed).toBe(1008);
  });
});

describe('the end of an attach address', () => {
  it('an attach address ends with its session and with the key that made it (contract 15.4)', async () => {
    const session = await sessionOf(ana);
    const own = await makeToken(lab.url, ana.cookie);
    const [byKey, bySignIn] = [
      await attach(own.headers, session),
      await attach({ cookie: ana.cookie }, session),
    ];
    const works = async ({ url }: Made) => (await below(url, `/session/${session}/source`)).status;
    expect(await Promise.all([works(byKey), works(bySignIn)])).toEqual([200, 200]);
    await lab.api(`/profile/tokens/${own.id}`, { method: 'DELETE', headers: { cookie: ana.cookie } });
    expect(await Promise.all([works(byKey), works(bySignIn)])).toEqual([404, 200]);
    expect((await below(bySignIn.url, `/session/${session}`, { method: 'DELETE' })).status).toBe(200);
    expect(await works(bySignIn)).toBe(404);
    expect(await list(ana.headers, session)).toEqual([]);
  });

  it('an attach address ends when its maker becomes inactive (contract 15.4)', async () => {
    const eve = await makePerson(lab, admin, 'eve@example.org');
    const session = await sessionOf(eve);
    const { url } = await attach(eve.headers, session);
    expect((await below(url, `/session/${session}/source`)).status).toBe(200);
    const json = { status: 'Inactive' };
    await lab.api(`/users/${eve.userId}`, { method: 'PATCH', headers: { cookie: admin }, json });
    expect((await below(url, `/session/${session}/source`)).status).toBe(404);
  });

  it('no log line, audit row, event or record contains the secret of an attach address (contract 15.4)', async () => {
    const { url } = await attach(ana.headers);
    const secret = url.slice(url.lastIndexOf('/') + 1);
    await below(url, `/session/${id}/url`, {
      method: 'POST',
      json: { url: `${url}/session/${id}` },
      headers: { referer: url },
    });
    await below(url, '/nowhere');
    await below(url, `/session/${id}/source?secret=${secret}`);
    const pages = ['/audit?limit=200', '/sessions', `/session/${id}/session_log`, `/session/${id}/attach`];
    for (const page of pages) expect(JSON.stringify(await read(lab, root, page)), page).not.toContain(secret);
    expect(lab.output()).not.toContain(secret);
    expect(lab.output()).toContain('/svc/attach/...');
  });
});
