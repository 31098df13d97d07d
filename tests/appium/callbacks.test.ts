import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { logOf } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';
import {
  type HeldCommand,
  type HeldCommands,
  HOLDING_PLUGIN,
  holdCommands,
} from './support/held-commands.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };
const UNKNOWN = {
  value: {
    error: 'invalid session id',
    message: 'A session is either terminated or not started',
    stacktrace: '',
  },
};

let commands: HeldCommands;
let appium: Awaited<ReturnType<typeof startAppium>>;
let admin: string;
let ana: Person;
let ben: Person;
let id: string;
let foreign: string;

beforeAll(async () => {
  commands = await holdCommands();
  appium = await startAppium({
    plugins: ['holding', 'svc'],
    own: { holding: HOLDING_PLUGIN },
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_LOG_LEVEL: 'debug', ...commands.env },
    args: ['--log-level', 'debug', '--relaxed-security'],
  });
  admin = await superAdmin(appium);
  [ana, ben] = [await person('ana'), await person('ben')];
  [id, foreign] = [await sessionOf(ana), await sessionOf(ben)];
});
afterAll(async () => {
  await appium?.stop();
  commands?.close();
});

const person = (name: string) => makePerson(appium, admin, `${name}@example.org`);
const sessionOf = async (owner: Person) =>
  (await createSession(appium.url, pairOf(owner))).body.value.sessionId;

/** A command of the plugin that runs until it is released. */
async function held(owner: Person = ana, session = id): Promise<HeldCommand & { ended: Promise<Response> }> {
  const running = commands.next();
  const url = `${appium.url}/session/${session}/appium/hold`;
  const ended = request(url, { method: 'POST', headers: owner.headers, json: {} });
  const { base, release } = await running;
  return { base, release, ended };
}

const end = async ({ release, ended }: Awaited<ReturnType<typeof held>>) => {
  release();
  expect(await (await ended).json()).toEqual({ value: 'released' });
};

const statusOf = async (url: string, init: Parameters<typeof request>[1] = {}) =>
  (await request(url, init)).status;

describe('a plugin that calls its server back for a session (contract 7)', () => {
  it('a plugin that calls its server back for a session drives the session without credentials while its command runs, and not afterwards (contract 7)', async () => {
    const command = await held();
    const url = `${command.base}/session/${id}/timeouts`;
    expect(await statusOf(url)).toBe(200);
    expect(await statusOf(url, { method: 'POST', json: { implicit: 12 } })).toBe(200);
    expect(await (await request(url)).json()).toMatchObject({ value: { implicit: 12 } });
    expect(await statusOf(`${appium.url}/session/${id}/timeouts`)).toBe(404);
    await end(command);
    const answer = await request(url);
    expect([answer.status, await answer.json()]).toEqual([404, UNKNOWN]);
    expect(await statusOf(url, { headers: ana.headers })).toBe(404);
  });

  it('a plugin reads the status of its server below its callback address (contract 7)', async () => {
    const command = await held();
    const status = await request(`${command.base}/status`);
    expect([status.status, await status.json()]).toEqual([
      200,
      await (await request(`${appium.url}/status`)).json(),
    ]);
    expect(await statusOf(`${command.base}/status`, { method: 'POST', json: {} })).toBe(404);
    expect(await statusOf(`${command.base}/status/x`)).toBe(404);
    expect(await statusOf(`${command.base}/sessions`)).toBe(404);
    await end(command);
    expect(await statusOf(`${command.base}/status`)).toBe(404);
  });

  it('a plugin that calls its server back for a session gets a new address for each command; one ends without the other (contract 7)', async () => {
    const first = await held();
    await end(await held());
    expect(await statusOf(`${first.base}/session/${id}/timeouts`)).toBe(200);
    const second = await held();
    expect(second.base).not.toBe(first.base);
    await end(first);
    expect(await statusOf(`${second.base}/session/${id}/timeouts`)).toBe(200);
    await end(second);
    expect(await statusOf(`${second.base}/session/${id}/timeouts`)).toBe(404);
  });

  it('a plugin that calls its server back for a session may do so while the session is created and while it is deleted (contract 7)', async () => {
    await appium.line(/called back during create: 200/);
    const short = await sessionOf(ana);
    const url = `${appium.url}/session/${short}`;
    expect(await statusOf(url, { method: 'DELETE', headers: ana.headers })).toBe(200);
    await appium.line(/called back during delete: 200/);
    expect(appium.output()).not.toMatch(/called back during \w+: 404/);
  });

  it('a plugin that calls its server back for a session has its commands in the log of the session, and the address in no log (spec 5.5)', async () => {
    const command = await held();
    const { pathname } = new URL(command.base);
    await request(`${command.base}/session/${id}/orientation`);
    await request(`${command.base}/session/${foreign}/orientation`);
    await request(`${command.base}/session`, { method: 'POST', json: {} });
    await upgrade(appium.url, `${pathname}/bidi/${id}`);
    await end(command);
    const log = await logOf(appium, ana.headers, id);
    expect(log.map(({ path }) => path)).toContain(`/session/${id}/orientation`);
    const secret = pathname.slice('/svc-callback/'.length);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(log).includes(secret)).toBe(false);
    expect(appium.output().includes(secret)).toBe(false);
  });

  it('a plugin that calls its server back for a session loses the session within 30 seconds of its caller, though its command runs (contract 7)', async () => {
    const cat = await person('cat');
    const session = await sessionOf(cat);
    const command = await held(cat, session);
    const url = `${command.base}/session/${session}/timeouts`;
    expect(await statusOf(url)).toBe(200);
    await appium.api(`/users/${cat.userId}`, {
      method: 'PATCH',
      headers: { cookie: admin },
      json: { status: 'Inactive' },
    });
    expect(await statusOf(url)).toBe(404);
    await end(command);
  });
});

describe('the address of a callback opens nothing else (contract 7)', () => {
  let command: Awaited<ReturnType<typeof held>>;
  let secret: string;
  beforeAll(async () => {
    command = await held();
    secret = new URL(command.base).pathname;
  });
  afterAll(() => end(command));

  it.each<[string, (path: string) => string, string?]>([
    ['another session', (path) => `${path}/session/${foreign}/timeouts`],
    ['the end of another session', (path) => `${path}/session/${foreign}`, 'DELETE'],
    ['another session by dot segments', (path) => `${path}/session/${id}/../${foreign}/timeouts`],
    ['a create', (path) => `${path}/session`, 'POST'],
    ['the session list', (path) => `${path}/appium/sessions`],
    ['the REST API', (path) => `${path}/svc/api/devices`],
    ['the pages', (path) => `${path}/svc/sign-in`],
    ['itself', (path) => `${path}${path}/session/${id}/timeouts`],
    ['nothing at all', (path) => path],
    ['a doubled slash', (path) => `${path}//session/${id}/timeouts`],
    ['the session below another secret', (path) => `${path.slice(0, -1)}_/session/${id}/timeouts`],
    ['the session below no secret', () => `/svc-callback//session/${id}/timeouts`],
    ['the session below a cut secret', (path) => `${path.slice(0, -1)}/session/${id}/timeouts`],
    ['the session below the secret in another place', (path) => `/wd${path}/session/${id}/timeouts`],
    ['the session in another letter case', (path) => `${path.toUpperCase()}/session/${id}/timeouts`],
  ])('%s', async (_what, target, method = 'GET') => {
    const sent = method === 'POST' ? { body: '{"capabilities":{}}', headers: JSON_BODY } : {};
    const answer = await rawRequest(appium.url, target(secret), { method, ...sent });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body).toMatch(/invalid session id|unauthenticated|unknown command/);
    expect(await statusOf(`${appium.url}/session/${foreign}/timeouts`, { headers: ben.headers })).toBe(200);
  });

  // No plugin is given the address of a socket: the capabilities of a driver name it without the secret.
  it.each(['bidi', 'bidi/ID', 'ws/session/ID/appium/device/logcat', 'svc/api/events'])(
    'the socket /%s',
    async (target) => {
      const { status } = await upgrade(appium.url, `${secret}/${target.replace('ID', id)}`);
      expect(status).toBe(404);
    },
  );
});
