import type { Role } from '@svc/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type WebSocket from 'ws';
import { startAppium } from '../support/appium.ts';
import { makeToken } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';

let lab: Awaited<ReturnType<typeof startAppium>>;
let admin: string;
let people = 0;

beforeAll(async () => {
  lab = await startAppium({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } });
  admin = await superAdmin(lab);
});
afterAll(() => lab?.stop());

const person = (role?: Role) => makePerson(lab, admin, `person-${++people}@example.org`, role);

async function sessionOf(owner: Person): Promise<string> {
  const { status, body } = await createSession(lab.url, pairOf(owner));
  expect(status).toBe(200);
  sessions.push(body.value.sessionId);
  return body.value.sessionId;
}

/** Creates as many sessions as the lab has phones, which are four. */
const sessions: string[] = [];
afterEach(async () => {
  for (const id of sessions.splice(0)) await change(`/session/${id}`, 'DELETE');
});

interface Opened {
  readonly socket: WebSocket;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
}

async function open(id: string, headers: Readonly<Record<string, string>>): Promise<Opened> {
  const { socket, status } = await upgrade(lab.url, `/bidi/${id}`, headers);
  if (socket === undefined) throw new Error(`refused with ${status}`);
  expect(await bidi(socket, 'appium:fake.getFakeThing')).toBeDefined();
  return { socket, closed: new Promise((done) => socket.once('close', done)) };
}

const stillDrives = async ({ socket }: Opened) => (await bidi(socket, 'appium:fake.getFakeThing')).error;
const change = (path: string, method: string, json?: object) =>
  lab.api(path, { method, headers: { cookie: admin }, ...(json === undefined ? {} : { json }) });

/** Far below the 30 s after which an unused credential is checked again. */
const SOON_MS = 5000;

describe('a session socket is closed with 1008 (contract 7)', () => {
  const ENDS: [string, (owner: Person) => Promise<unknown>][] = [
    ['is set Inactive', ({ userId }) => change(`/users/${userId}`, 'PATCH', { status: 'Inactive' })],
    ['is deleted', ({ userId }) => change(`/users/${userId}`, 'DELETE')],
    [
      'has a new access key',
      ({ cookie }) => lab.api('/profile/access-key/rotate', { method: 'POST', headers: { cookie } }),
    ],
  ];

  it.each(ENDS)('a session socket is closed when its user %s (contract 7)', async (_name, end) => {
    const owner = await person();
    const opened = await open(await sessionOf(owner), owner.headers);
    const began = performance.now();
    expect((await end(owner)) as Response).toMatchObject({ ok: true });
    expect(await opened.closed).toBe(1008);
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    await lab.line(new RegExp(`Session socket closed: .*${owner.userId}`));
  });

  it('a session socket is closed when its token is revoked, and sockets opened with another one stay (contract 7)', async () => {
    const owner = await person();
    const id = await sessionOf(owner);
    const other = await makeToken(lab.url, owner.cookie);
    const [lost, kept] = [await open(id, owner.headers), await open(id, other.headers)];
    const listed = await lab.api('/profile/tokens', { headers: { cookie: owner.cookie } });
    const tokens = (await listed.json()) as { id: string }[];
    // The tokens are listed newest first.
    const { id: revoked } = tokens.at(-1) as { id: string };
    const answer = await lab.api(`/profile/tokens/${revoked}`, {
      method: 'DELETE',
      headers: { cookie: owner.cookie },
    });
    expect(answer.status).toBe(204);
    expect(await lost.closed).toBe(1008);
    expect(await stillDrives(kept)).toBeUndefined();
    await close(kept.socket);
  });

  it('a session socket is closed when its token expires (contract 7)', async () => {
    const owner = await person();
    const id = await sessionOf(owner);
    const expiresAt = new Date(Date.now() + 3000).toISOString();
    const made = await lab.api('/profile/tokens', {
      method: 'POST',
      headers: { cookie: owner.cookie },
      json: { name: 'short', expiresAt },
    });
    const { token } = (await made.json()) as { token: string };
    const { closed } = await open(id, { 'x-svc-access-key': owner.accessKey, 'x-svc-token': token });
    expect(await closed).toBe(1008);
    const late = Date.now() - Date.parse(expiresAt);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(SOON_MS);
  });

  it("a socket of an admin on another user's session is closed when the admin is demoted, and the owner's stays (contract 7)", async () => {
    const owner = await person();
    const boss = await person('Super admin');
    const id = await sessionOf(owner);
    const [foreign, own] = [await open(id, boss.headers), await open(id, owner.headers)];
    expect((await change(`/users/${boss.userId}`, 'PATCH', { role: 'Member' })).status).toBe(200);
    expect(await foreign.closed).toBe(1008);
    expect(await stillDrives(own)).toBeUndefined();
    await close(own.socket);
  });

  it('a session whose socket was closed continues for those who may drive it (contract 7)', async () => {
    const owner = await person();
    const id = await sessionOf(owner);
    const { closed } = await open(id, owner.headers);
    await change(`/users/${owner.userId}`, 'PATCH', { status: 'Inactive' });
    expect(await closed).toBe(1008);
    const root = await makeToken(lab.url, admin);
    const again = await open(id, root.headers);
    expect(await stillDrives(again)).toBeUndefined();
    expect((await change(`/session/${id}`, 'DELETE')).status).toBe(204);
    expect(await again.closed).toBe(1001);
  });
});
