import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { freshDataDir, makeToken, type RunningServer, request, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { bidi, close, type Upgrade, upgrade } from '../support/web-socket.ts';

const THING = 'what is of this session alone';

/** A driver's log socket, registered as real drivers do: without the base path and with the unchanged id. */
const LOG_SOCKETS = `
  static async updateServer(app, server) { Own.server = server; }
  async createSession(next) {
    const made = await next();
    const { WebSocketServer } = require('ws');
    const logs = new WebSocketServer({ noServer: true });
    logs.on('connection', (socket) => socket.on('message', () => socket.send(JSON.stringify('${THING}'))));
    await Own.server.addWebSocketHandler('/ws/session/' + made.value[0] + '/appium/device/logcat', logs);
    return made;
  }
`;

/** `B` is the base path, `S` the id of a running session, `U` the id in upper case, `E` the id with a percent sign. */
const SHAPES = [
  ...[
    'B/bidi/S',
    'B/bidi/S/',
    'B/BIDI/S',
    'B/Bidi/S',
    'B/bidi/S?x',
    'B/bidi/S?x=/bidi/S',
    'B/bidi/U',
    'B/bidi/E',
  ],
  ...['B/bidi//S', 'B/bidi/S/x', 'B//bidi/S', '//host/B/bidi/S', 'B/bidi/S;x', 'B/bidi/S%00', 'B/bidi/%2FS'],
  ...['B/x/../bidi/S', 'B/x/%2e%2e/bidi/S', 'B/x\\\\../bidi/S', 'B/./bidi/S', 'B/bidi/./S', 'B/bidi/x/../S'],
  ...['http://evil/B/bidi/S', 'https://u:p@evil/B/bidi/S', 'ws://evil/B/bidi/S', 'foo://x/B/bidi/S'],
  ...['B/bidi?/bidi/S', 'B/bidi?x=/bidi/S', 'B/bidi#/bidi/S', 'B/BIDI?/bidi/S', 'B/bidi/?/bidi/S'],
  ...[
    'B/bidi/other?/bidi/S',
    'B/bidi/other#/bidi/S',
    'B/bidi/other/../S',
    'B/bidi/constructor',
    'B/bidi/__proto__',
  ],
  ...[
    '/ws/session/S/appium/device/logcat',
    '/ws/session/S/appium/device/logcat/',
    '/WS/Session/S/appium/device/logcat',
  ],
  ...[
    '/ws/session/U/appium/device/logcat',
    '/ws/session/S/appium/device/logcat?x',
    '/ws/session/E/appium/device/logcat',
  ],
  ...[
    '/ws/x/../session/S/appium/device/logcat',
    '//host/ws/session/S/appium/device/logcat',
    '/ws/session/S/x',
  ],
  ...[
    'http://evil/ws/session/S/appium/device/logcat',
    '/ws/session/S/appium/device/logcat#x',
    '/ws//session/S/x',
  ],
  ...[
    '/ws\\\\session/S/appium/device/logcat',
    '/ws/session/S/./appium/device/logcat',
    '/ws/session%2FS/appium',
  ],
];

const fill = (target: string, base: string, id: string) =>
  target
    .replace(/\/?B(?=[/])/, base)
    .replace(/\bS\b/g, id)
    .replace(/\bU\b/g, id.toUpperCase())
    .replace(/\bE\b/g, `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`);

/** @returns the status if the upgrade was refused, or what the socket is connected to */
async function seenThrough({ socket, status }: Upgrade): Promise<number | 'session' | 'nothing'> {
  if (socket === undefined) return status;
  try {
    const reply = await bidi(socket, 'appium:fake.getFakeThing');
    return JSON.stringify(reply).includes(THING) ? 'session' : 'nothing';
  } catch {
    return 'nothing';
  } finally {
    await close(socket);
  }
}

async function sessionWithAThing(url: string, base: string, options: object, headers = {}): Promise<string> {
  const answer = await request(`${url}${base}/session`, {
    method: 'POST',
    json: { capabilities: { alwaysMatch: { ...FAKE_PHONE, 'svc:options': options } } },
  });
  const id = ((await answer.json()) as { value: { sessionId: string } }).value.sessionId;
  const { socket } = await upgrade(url, `${base}/bidi/${id}`, headers);
  if (socket === undefined) throw new Error('its owner may not open it');
  await bidi(socket, 'appium:fake.setFakeThing', { thing: THING });
  await close(socket);
  return id;
}

const bearerOf = async (lab: RunningServer, cookie: string) => {
  const answer = await lab.api('/auth/token', { method: 'POST', headers: { cookie }, json: {} });
  return { authorization: `Bearer ${((await answer.json()) as { token: string }).token}` };
};

describe.each([
  ['without a base path', ''],
  ['with a base path', '/wd/Hub'],
])('sockets of a session, %s (spec 5.7.7)', (_name, base) => {
  let lab: Awaited<ReturnType<typeof startAppium>>;
  let ana: Person;
  let bob: Person;
  let admin: string;
  let id: string;

  beforeAll(async () => {
    const args = base === '' ? [] : ['--base-path', base];
    const own = { logs: LOG_SOCKETS };
    const env = { SVC_REQUIRE_COMMAND_AUTH: 'true' };
    lab = await startAppium({ args, own, plugins: ['logs', 'svc'], env });
    admin = await superAdmin(lab);
    [ana, bob] = [
      await makePerson(lab, admin, 'ana@example.org'),
      await makePerson(lab, admin, 'bob@example.org'),
    ];
    id = await sessionWithAThing(lab.url, base, pairOf(ana), ana.headers);
  });
  afterAll(async () => {
    await lab?.stop();
  });

  it.each(SHAPES)('%s leads nobody but its owner to the session (contract 7)', async (shape) => {
    // The releases of Node.js differ in how Appium ends an upgrade to an unknown path: with or without a response.
    const seen = async (headers = {}) =>
      upgrade(lab.url, fill(shape, base, id), headers).then(seenThrough, () => 'nothing' as const);
    // If the path does not name a session, any caller with a credential may open the socket, so the two outcomes may
    // differ.
    const refused = [await seen(bob.headers), await seen()];
    const owners = await seen(ana.headers);
    for (const each of refused) expect(owners === 'session' ? [404] : [404, 'nothing']).toContain(each);
  });

  const BIDI = () => `${base}/bidi/${id}`;
  const LOG = () => `/ws/session/${id}/appium/device/logcat`;

  it('open to the owner, a Super admin and their bearer tokens, in the plain spellings', async () => {
    const root = await makeToken(lab.url, admin);
    const admitted = [ana.headers, root.headers, await bearerOf(lab, ana.cookie), await bearerOf(lab, admin)];
    for (const headers of admitted) {
      for (const target of [BIDI(), LOG(), LOG().toUpperCase().replace('APPIUM', 'appium')]) {
        expect(await seenThrough(await upgrade(lab.url, target, { ...headers }))).toBe('session');
      }
    }
  });

  it('a refusal is a bare 404, the same for unknown ids, and closes the connection', async () => {
    const refusals = [
      await upgrade(lab.url, BIDI(), bob.headers),
      await upgrade(lab.url, BIDI(), { cookie: ana.cookie }),
      await upgrade(lab.url, BIDI(), { 'x-svc-access-key': ana.accessKey }),
      await upgrade(lab.url, BIDI(), await bearerOf(lab, bob.cookie)),
      await upgrade(lab.url, BIDI(), { authorization: 'Bearer x.y.z' }),
      await upgrade(lab.url, `${base}/bidi/${crypto.randomUUID()}`, ana.headers),
      await upgrade(lab.url, LOG(), bob.headers),
    ];
    for (const { status, headers, body } of refusals) {
      expect({ status, body }).toEqual({ status: 404, body: '' });
      expect(
        Object.keys(headers)
          .filter((name) => name !== 'date')
          .sort(),
      ).toEqual(['connection', 'content-length']);
      expect(headers.connection).toBe('close');
    }
    await lab.line(new RegExp(`Command refused: GET ${BIDI()} \\(session ${id}, caller ${bob.userId}\\)`));
  });

  it('the BiDi service without a session is not affected', async () => {
    for (const target of [`${base}/bidi`, `${base}/bidi/`]) {
      const { socket } = await upgrade(lab.url, target);
      // Appium itself responds. Its socket without a session supports no commands.
      expect(JSON.stringify(await bidi(socket as never, 'session.status'))).toContain('unknown method');
      await close(socket);
    }
  });

  it('WebdriverIO: BiDi with the headers of its options', async () => {
    const { port, hostname } = new URL(lab.url);
    const driver = await remote({
      hostname,
      port: Number(port),
      path: base === '' ? '/' : base,
      logLevel: 'silent',
      connectionRetryCount: 0,
      headers: ana.headers,
      capabilities: { ...FAKE_PHONE, webSocketUrl: true, 'svc:options': pairOf(ana) } as never,
    });
    expect(await driver.sessionStatus({})).toMatchObject({ ready: expect.anything() });
    await driver.deleteSession();
  });

  it('a session that ends closes its sockets with 1001; nothing is left listening', async () => {
    const id = await sessionWithAThing(lab.url, base, pairOf(ana), ana.headers);
    const { socket } = await upgrade(lab.url, `${base}/bidi/${id}`, ana.headers);
    const closed = new Promise((code) => socket?.once('close', code));
    await request(`${lab.url}${base}/session/${id}`, { method: 'DELETE', headers: ana.headers });
    expect(await closed).toBe(1001);
    expect(lab.output()).not.toMatch(/listeners added to \[(?:Socket|Server|TLSSocket)\]/);
    expect(lab.output()).not.toContain('Tripwire');
  });
});

it('an upgrade gets a bare 503 and is closed when the check cannot run (spec 5.7.7)', async () => {
  const dataDir = freshDataDir();
  writeFileSync(join(dataDir, 'signing-key.pem'), 'no key');
  const lab = await startLab({ dataDir, env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } });
  const pair = await makeToken(lab.url, await superAdmin(lab));
  const id = (await createSession(lab.url, pairOf(pair))).body.value.sessionId;
  for (const target of [`/bidi/${id}`, `/ws/session/${id}/x`, '/bidi/unknown']) {
    const { status, body, headers } = await upgrade(lab.url, target, { authorization: 'Bearer a.b.c' });
    expect({ status, body, connection: headers.connection }).toEqual({
      status: 503,
      body: '',
      connection: 'close',
    });
  }
  await lab.stop();
});

it('(appium-notes 8) a socket outlives the time-outs of HTTP requests', async () => {
  const preload = fileURLToPath(new URL('often-checked.cjs', import.meta.url));
  const args = ['--request-timeout', '1'];
  const lab = await startAppium({ preload, args, env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } });
  const pair = await makeToken(lab.url, await superAdmin(lab));
  const id = await sessionWithAThing(lab.url, '', pairOf(pair), pair.headers);
  const { socket } = await upgrade(lab.url, `/bidi/${id}`, pair.headers);
  // Longer than the time-out and the check interval together.
  for (const end = performance.now() + 1600; performance.now() < end; ) {
    expect(await seenOn(socket)).toContain(THING);
  }
  await close(socket);
  await lab.stop();
});

const seenOn = async (socket: Upgrade['socket']) =>
  JSON.stringify(await bidi(socket as never, 'appium:fake.getFakeThing'));
