import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcClient } from '@svc/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { PNG, picturesIn } from '../conformance/support/recorded-lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { makePerson, type Person, pairOf } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { create, createdBy, type Entrance, send, startEntrance } from './support/entrance.ts';
import { type FakeGrid, startFakeGrid } from './support/fake-grid.ts';

const BASE = '/wd/hub';
let grid: FakeGrid;
let entrance: Entrance;
let webdriver: string;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  grid = await startFakeGrid('/grid');
  entrance = await startEntrance(`${grid.url}/grid`, {
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_REQUIRE_SESSION_TOKEN: 'true',
      SVC_BASE_PATH: BASE,
      SVC_UPSTREAM_AUTHORIZATION: 'Basic Z3JpZDpwYXNz',
    },
  });
  webdriver = `${entrance.url}${BASE}`;
  ana = await makePerson(entrance, entrance.admin, 'ana@example.test');
  bob = await makePerson(entrance, entrance.admin, 'bob@example.test');
});

const ofGrid = () => grid.reached.filter(({ url }) => url !== '/grid/status');
const root = () => new SvcClient({ url: entrance.url, credential: { cookie: entrance.admin } });
const rootHeaders = async () => ({ authorization: `Bearer ${(await root().issueBearer({})).token}` });

describe('a create through the entrance', () => {
  it('a create through the entrance reaches the grid in UTF-8 without credentials, wherever they stand (specification 5.4.6, contract 6.2)', async () => {
    grid.reached.length = 0;
    const secrets = { accessKey: ana.accessKey, token: ana.token };
    const answer = await send(`${webdriver}/session?token=${'x'}`, {
      method: 'POST',
      headers: {
        ...ana.headers,
        cookie: ana.cookie,
        authorization: 'Basic Y2xpZW50',
        'x-forwarded-for': '9.9.9.9',
      },
      json: {
        capabilities: {
          alwaysMatch: {
            platformName: 'Fake',
            'svc:options': { ...secrets, team: null },
            'lab:options': secrets,
          },
          firstMatch: [{ 'svc:options': secrets }, { 'appium:svc:options': secrets }],
        },
        desiredCapabilities: { 'svc:options': secrets, browserName: 'x' },
        requiredCapabilities: { 'lab:options': secrets },
      },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const [reached] = ofGrid();
    expect(reached?.url).toBe('/grid/session');
    expect(reached?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reached?.headers.authorization).toBe('Basic Z3JpZDpwYXNz');
    const everything = JSON.stringify(grid.reached);
    for (const secret of [
      ana.token,
      ana.accessKey,
      ana.cookie.split('=')[1] as string,
      'Y2xpZW50',
      '9.9.9.9',
    ])
      expect(everything).not.toContain(secret);
    expect(JSON.parse(reached?.body ?? '').desiredCapabilities).toEqual({ browserName: 'x' });
  });

  it('a create through the entrance is refused without credentials, and the grid hears nothing of it (specification 5.7)', async () => {
    grid.reached.length = 0;
    const { status, body } = await create(webdriver, null);
    expect([status, body.value.error]).toEqual([400, 'invalid argument']);
    expect(body.value.message).toMatch(/^session rejected: SVC_REQUIRE_SESSION_TOKEN is enabled/);
    expect(ofGrid()).toEqual([]);
  });

  it('a create through the entrance is recorded with its owner, and its addresses are those of the entrance (contract 2, sessions)', async () => {
    grid.answers = {
      'se:gridWebSocketUrl': 'ws://10.0.0.1:9/x',
      'se:bidiEnabled': true,
      name: 'http://kept',
    };
    const { body } = await create(webdriver, ana);
    grid.answers = {};
    const { sessionId: id, capabilities } = body.value;
    const at = `ws://${new URL(entrance.url).host}${BASE}/session/${id}/se`;
    expect(capabilities).toEqual({
      platformName: 'Fake',
      webSocketUrl: `${at}/bidi`,
      'se:cdp': `${at}/cdp`,
      'se:vnc': `${at}/vnc`,
      'se:bidiEnabled': true,
      name: 'http://kept',
    });
    const shown = await entrance.api(`/session/${id}`, { headers: { cookie: ana.cookie } });
    expect(await shown.json()).toMatchObject({
      status: 'running',
      owner: { id: ana.userId },
      device: null,
      node: new URL(grid.url).host,
    });
    expect((await entrance.api(`/session/${id}`, { headers: { cookie: bob.cookie } })).status).toBe(404);
  });

  it('phones of a grid are not in the list of phones, and no node registers here (contract 2)', async () => {
    expect(await (await entrance.api('/devices', { headers: { cookie: entrance.admin } })).json()).toEqual(
      [],
    );
    const register = await entrance.api('/nodes', {
      method: 'POST',
      headers: { cookie: entrance.admin },
      json: { url: 'http://127.0.0.1:1', version: '1', devices: [] },
    });
    expect(register.status).toBe(409);
  });

  it.each([
    ['no session', (body: string) => body, 500, 'session not created'],
    [
      'its own refusal',
      () => '{"value":{"error":"session not created","message":"no slot"}}',
      500,
      'no slot',
    ],
  ])(
    'answered with %s by the grid is an error as WebDriver has them',
    async (_name, text, status, message) => {
      grid.odd = (_req, res) => res.writeHead(500).end(text('<html>secret'));
      const { status: answered, body } = await create(webdriver, ana);
      grid.odd = null;
      expect(answered).toBe(status);
      expect(JSON.stringify(body.value)).toContain(message);
      expect(JSON.stringify(body)).not.toContain('secret');
    },
  );

  it.each(['../../status', 'a/b', 'a b', '', '.', 'x'.repeat(300), 'ä', 5])(
    'an id that would lead elsewhere gives no session: %j',
    async (sessionId) => {
      const value = JSON.stringify({ value: { sessionId, capabilities: {} } });
      grid.odd = (_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(value);
      const { status } = await create(webdriver, ana);
      grid.odd = null;
      expect(status).toBe(500);
    },
  );

  it('an id of a session that is there gives no session to anybody else', async () => {
    const id = await createdBy(webdriver, ana);
    const value = JSON.stringify({ value: { sessionId: id, capabilities: {} } });
    grid.odd = (_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(value);
    const { status } = await create(webdriver, bob);
    grid.odd = null;
    expect(status).toBe(503);
    expect((await send(`${webdriver}/session/${id}/url`, { headers: bob.headers })).status).toBe(404);
  });

  it('an answer without an end is cut off', async () => {
    grid.odd = (_req, res) => {
      res.writeHead(200);
      const piece = 'x'.repeat(1024 * 1024);
      const write = () => {
        while (!res.destroyed && res.write(piece));
      };
      res.on('drain', write);
      write();
    };
    const { status, body } = await create(webdriver, ana);
    grid.odd = null;
    expect([status, body.value.error]).toEqual([503, 'session not created']);
  });
});

describe('a command through the entrance', () => {
  it('a command through the entrance is its owner’s and an admin’s, and goes on without their credentials (specification 5.7.2, 5.7.3)', async () => {
    const id = await createdBy(webdriver, ana);
    grid.reached.length = 0;
    const url = `${webdriver}/session/${id}/url`;
    const sent = { method: 'POST', json: { url: 'http://x' } };
    expect((await send(url, { ...sent, headers: { ...ana.headers, cookie: ana.cookie } })).status).toBe(200);
    expect((await send(url, { ...sent, headers: await rootHeaders() })).status).toBe(200);
    const refused = await send(url, { ...sent, headers: bob.headers });
    const unknown = await send(`${webdriver}/session/nobody/url`, { ...sent, headers: bob.headers });
    expect([refused.status, refused.body]).toEqual([unknown.status, unknown.body]);
    expect(refused.body.value.error).toBe('invalid session id');
    expect((await send(url, sent)).status).toBe(404);
    expect(grid.reached.map(({ url: path, body }) => [path, body])).toEqual(
      Array(2).fill([`/grid/session/${id}/url`, '{"url":"http://x"}']),
    );
    for (const { headers } of grid.reached) {
      expect(headers.authorization).toBe('Basic Z3JpZDpwYXNz');
      expect(Object.keys(headers).filter((name) => /cookie|svc|origin|forwarded/.test(name))).toEqual([]);
    }
  });

  it('a command through the entrance gets no cookie of the grid for this server (contract 7)', async () => {
    const id = await createdBy(webdriver, ana);
    const { headers } = await send(`${webdriver}/session/${id}/url`, { headers: ana.headers });
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('a command through the entrance is refused in every spelling another server could read as another session (contract 7)', async () => {
    const [own, other] = [await createdBy(webdriver, bob), await createdBy(webdriver, ana)];
    grid.reached.length = 0;
    const targets = [
      `${BASE}/session/${own}/../${other}/url`,
      `${BASE}/session/${own}/..%2f${other}/url`,
      `${BASE}/session/${own}/%2e%2e/${other}/url`,
      `${BASE}/session/${own}/session/${other}/url`,
      `${BASE}/session/${own};/session/${other}/url`,
      `${BASE}/session/${own}/SESSION/${other}`,
      `${BASE}/session/${own}%2f..%2f${other}/url`,
      `${BASE}/session/%${other.charCodeAt(0).toString(16)}${other.slice(1)}/url`,
      `${BASE}//session/${other}/url`,
      `${BASE}/session//${other}/url`,
      `/session/${other}/url`,
      `/grid/session/${other}/url`,
      `/x/session/${other}/url`,
      `/x%2fsession%2f${other}%2furl`,
      `/%73ession/${other}/url`,
      `/se/grid/session/${other}`,
      `${BASE}/se/grid/session/${other}`,
      `${BASE}/graphql/session/${other}/url`,
      `http://x${BASE}/session/${other}/url`,
      `${BASE}/SESSION/${other}/url`,
      `${BASE}/session/${other}`,
      `${BASE}/session/${other}/url?x=/session/${own}`,
      `${BASE}/bidi/${other}`,
    ];
    for (const target of targets) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PATCH']) {
        const { status } = await rawRequest(entrance.url, target, { method, headers: bob.headers });
        expect([400, 404, 403], `${method} ${target}: ${status}`).toContain(status);
      }
    }
    expect(grid.reached.filter(({ url }) => url.includes(other))).toEqual([]);
    expect(ofGrid()).toEqual([]);
  });

  it('a command that is not a create never becomes one: an empty body reaches no grid (contract 7)', async () => {
    grid.reached.length = 0;
    for (const target of ['/session', '/grid/session', '/x/session', `${BASE}/x/session`, '/%73ession']) {
      const { status } = await rawRequest(entrance.url, target, {
        method: 'POST',
        headers: { ...ana.headers, 'Content-Type': 'application/json' },
        body: '{}',
      });
      expect([400, 404], `${target}: ${status}`).toContain(status);
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await send(`${webdriver}/session`, { method, headers: ana.headers })).status).toBe(404);
    expect(ofGrid()).toEqual([]);
  });

  it('a svc: command is answered by the entrance, and the session’s log has the commands for the grid (contract 6.5)', async () => {
    const id = await createdBy(webdriver, ana);
    const json = { script: 'svc: setSessionName', args: [{ name: 'in the grid' }] };
    const named = await send(`${webdriver}/session/${id}/execute/sync`, {
      method: 'POST',
      headers: ana.headers,
      json,
    });
    expect([named.status, named.body]).toEqual([200, { value: { recorded: true } }]);
    const own = { script: 'return 1', args: [] };
    await send(`${webdriver}/session/${id}/execute/sync`, {
      method: 'POST',
      headers: ana.headers,
      json: own,
    });
    const shown = await entrance.api(`/session/${id}`, { headers: { cookie: ana.cookie } });
    expect(await shown.json()).toMatchObject({ name: 'in the grid' });
    await expect
      .poll(
        async () => await (await entrance.api(`/session/${id}/session_log`, { headers: ana.headers })).text(),
      )
      .toContain('return 1');
  });

  it('a command through the entrance is recorded here, with pictures that the grid takes of its screen (contract 11)', async () => {
    const id = await createdBy(webdriver, ana, { 'svc:options': { ...pairOf(ana), record: 'failures' } });
    expect(JSON.stringify(ofGrid())).not.toContain('record');
    const execute = async (script: string, ...args: object[]) =>
      (
        await send(`${webdriver}/session/${id}/execute/sync`, {
          method: 'POST',
          headers: ana.headers,
          json: { script, args },
        })
      ).body.value;
    const view = async () => await (await entrance.api(`/session/${id}/recording`, ana)).json();
    const screenshots: (string | undefined)[] = [];
    grid.odd = (req, res) => {
      if (!req.url?.endsWith('/screenshot')) return 'usual';
      screenshots.push(req.url);
      res.end(JSON.stringify({ value: PNG.toString('base64') }));
    };
    expect(await execute('svc: captureEvidence', { label: 'cart' })).toEqual({ recorded: true });
    expect(await execute('svc: pauseRecording')).toEqual({ recorded: true });
    expect(await execute('svc: captureEvidence')).toMatchObject({ recorded: false });
    expect(await execute('svc: resumeRecording')).toEqual({ recorded: true });
    grid.odd = (req, res) => (req.url?.endsWith('/screenshot') ? res.writeHead(500).end('{}') : 'usual');
    expect(await execute('svc: captureEvidence')).toMatchObject({ recorded: false });
    grid.odd = null;
    expect(await execute('svc: setSessionStatus', { status: 'failed', reason: 'wrong total' })).toEqual({
      recorded: true,
    });
    expect(screenshots).toEqual([`/grid/session/${id}/screenshot`]);
    expect(await view()).toMatchObject({ state: 'recording', pictures: 1, bytes: PNG.length });
    expect((await entrance.api(`/session/${id}/recording`, bob)).status).toBe(404);

    await send(`${webdriver}/session/${id}`, { method: 'DELETE', headers: ana.headers });
    expect(await view()).toMatchObject({
      state: 'complete',
      marks: [
        { kind: 'evidence', label: 'cart' },
        { kind: 'paused' },
        { kind: 'resumed' },
        { kind: 'failure', label: 'wrong total' },
      ],
    });
    const chunk = await entrance.api(`/session/${id}/recording/chunks/0`, ana);
    expect(picturesIn(Buffer.from(await chunk.arrayBuffer()))).toMatchObject([
      { type: 'image/png', content: PNG },
    ]);
    const log = await (await entrance.api(`/session/${id}/session_log`, ana)).text();
    expect([log.includes('captureEvidence'), log.includes('creenshot')]).toEqual([true, false]);
  });

  it('a command through the entrance is listed to its owner (contract 7, listings)', async () => {
    const id = await createdBy(webdriver, ana);
    const listed = async (headers: Record<string, string>) =>
      JSON.stringify((await send(`${webdriver}/appium/sessions`, { headers })).body);
    expect(await listed(ana.headers)).toContain(id);
    expect(await listed(bob.headers)).not.toContain(id);
    expect(await listed({})).toBe('{"value":[]}');
  });

  it('a command that the grid does not answer gets 503 and is not sent again (contract 8.4)', async () => {
    const id = await createdBy(webdriver, ana);
    grid.reached.length = 0;
    const seen: string[] = [];
    grid.odd = (req) => {
      seen.push(req.method ?? '');
      req.socket.destroy();
    };
    const { status, body } = await send(`${webdriver}/session/${id}/url`, {
      method: 'POST',
      headers: ana.headers,
      json: {},
    });
    expect([status, body.value.error]).toEqual([503, 'unknown error']);
    expect(seen).toEqual(['POST']);
    for (const garbage of [
      'no http at all\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a\x01b\r\n\r\nhello',
      'HTTP/1.1 999999 \x02\r\n\r\n',
    ]) {
      grid.odd = (req) => req.socket.end(garbage);
      const odd = await rawRequest(entrance.url, `${BASE}/session/${id}/url`, { headers: ana.headers });
      expect([200, 503], garbage).toContain(odd.status);
    }
    grid.odd = null;
    expect((await send(`${webdriver}/session/${id}/url`, { headers: ana.headers })).status).toBe(200);
  });

  it('a command through the entrance passes large bodies both ways (specification 8.1, upload)', async () => {
    const id = await createdBy(webdriver, ana);
    const large = 'x'.repeat(3_000_000);
    const answer = await send(`${webdriver}/session/${id}/se/file`, {
      method: 'POST',
      headers: ana.headers,
      json: { file: large },
    });
    expect(answer.body.value.body.length).toBeGreaterThan(large.length);
  });

  it.each(['Content-Length', 'Transfer-Encoding'])(
    'a large body (%s) that the grid answers early or drops afterwards leaves the entrance running (contract 8.4)',
    async (framing) => {
      const id = await createdBy(webdriver, ana);
      const text = 'x'.repeat(1_000_000);
      const chunked = framing === 'Transfer-Encoding';
      const large = () =>
        rawRequest(entrance.url, `${BASE}/session/${id}/se/file`, {
          method: 'POST',
          headers: { ...ana.headers, ...(chunked ? { [framing]: 'chunked' } : {}) },
          body: chunked ? `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n` : text,
        });
      expect((await large()).status).toBe(200);
      grid.odd = (req) => req.socket.destroy();
      const fallen = await large();
      grid.odd = null;
      expect([fallen.status, JSON.parse(fallen.body).value.error]).toEqual([503, 'unknown error']);
      expect((await send(`${webdriver}/session/${id}/url`, { headers: ana.headers })).status).toBe(200);
    },
  );

  it('a command through the entrance is answered though its client offers another protocol with it, as the one of Java does', async () => {
    const id = await createdBy(webdriver, ana);
    grid.reached.length = 0;
    const answer = await rawRequest(entrance.url, `${BASE}/session/${id}/url`, {
      method: 'POST',
      headers: {
        ...ana.headers,
        Connection: 'Upgrade, HTTP2-Settings, close',
        Upgrade: 'h2c',
        'HTTP2-Settings': 'AA',
      },
      body: '{"url":"x"}',
    });
    expect(answer.status).toBe(200);
    expect(Object.keys(grid.reached[0]?.headers ?? {})).not.toContain('http2-settings');
    expect(grid.reached[0]?.headers.upgrade).toBeUndefined();
  });
});

describe('the end of a session', () => {
  it('the end of a session is filed when its client ends it (contract 2)', async () => {
    const id = await createdBy(webdriver, ana);
    expect(
      (await send(`${webdriver}/session/${id}`, { method: 'DELETE', headers: ana.headers })).status,
    ).toBe(200);
    expect((await send(`${webdriver}/session/${id}/url`, { headers: ana.headers })).status).toBe(404);
    const shown = await entrance.api(`/session/${id}`, { headers: ana.headers });
    expect(await shown.json()).toMatchObject({ status: 'ended', failureCategory: null });
  });

  it('a session ended over the API ends at the grid (contract 2)', async () => {
    const id = await createdBy(webdriver, ana);
    expect((await entrance.api(`/session/${id}`, { method: 'DELETE', headers: ana.headers })).ok).toBe(true);
    expect(grid.sessions.has(id)).toBe(false);
  });

  it('the end of a session is filed when the grid no longer knows it (specification 9.2, Session Lost)', async () => {
    const id = await createdBy(webdriver, ana);
    grid.sessions.delete(id);
    expect((await send(`${webdriver}/session/${id}/url`, { headers: ana.headers })).status).toBe(404);
    const shown = await entrance.api(`/session/${id}`, { headers: ana.headers });
    expect(await shown.json()).toMatchObject({ status: 'failed', failureCategory: 'Session Lost' });
  });
});

describe("a session's sockets", () => {
  it.each(['se/bidi', 'se/cdp', 'se/vnc'])('%s is its owner’s (specification 5.7.7)', async (path) => {
    const id = await createdBy(webdriver, ana);
    const target = `${BASE}/session/${id}/${path}`;
    grid.reached.length = 0;
    expect((await upgrade(entrance.url, target, bob.headers)).status).toBe(404);
    expect((await upgrade(entrance.url, target)).status).toBe(404);
    expect(ofGrid()).toEqual([]);
    const opened = await upgrade(entrance.url, target, { ...ana.headers, cookie: ana.cookie });
    expect(opened.status).toBe(101);
    opened.socket?.send('hello');
    const said = await new Promise((heard) => opened.socket?.once('message', (data) => heard(String(data))));
    expect(said).toBe(`/grid/session/${id}/${path} hello`);
    expect(JSON.stringify(grid.reached)).not.toContain(ana.token);
    expect(grid.reached.at(-1)?.headers.cookie).toBeUndefined();
    await close(opened.socket);
  });

  it('sockets in other spellings, and outside sessions, reach no grid (contract 7)', async () => {
    const [own, other] = [await createdBy(webdriver, bob), await createdBy(webdriver, ana)];
    grid.reached.length = 0;
    for (const target of [
      `/session/${other}/se/cdp`,
      `/x/session/${other}/se/cdp`,
      `${BASE}/session/${own}/../${other}/se/cdp`,
      `${BASE}/session/${own}/session/${other}/se/cdp`,
      `${BASE}/SESSION/${other}/se/cdp`,
      `${BASE}/session/%47${other.slice(1)}/se/cdp`,
      `${BASE}/bidi?/session/${other}/se/bidi`,
      `${BASE}/bidi/${other}`,
      `${BASE}/bidi`,
      `${BASE}/session`,
      `${BASE}/graphql`,
      `/ws/session/${other}/x`,
      '/ws/x',
    ]) {
      const { status, socket } = await upgrade(entrance.url, target, bob.headers);
      socket?.terminate();
      expect([status, target]).toEqual([404, target]);
    }
    expect(ofGrid()).toEqual([]);
  });

  it("a session's sockets end when their credential does, and with the session (contract 7)", async () => {
    const id = await createdBy(webdriver, ana);
    const carl = await makePerson(entrance, entrance.admin, 'carl@example.test');
    const his = await createdBy(webdriver, carl);
    const first = await upgrade(entrance.url, `${BASE}/session/${his}/se/bidi`, carl.headers);
    const ended = new Promise((code) => first.socket?.once('close', code));
    const revoked = await entrance.api(`/users/${carl.userId}`, {
      method: 'PATCH',
      headers: { cookie: entrance.admin },
      json: { status: 'Inactive' },
    });
    expect(revoked.status).toBe(200);
    expect(await ended).toBe(1008);
    const second = await upgrade(entrance.url, `${BASE}/session/${id}/se/bidi`, ana.headers);
    const over = new Promise((code) => second.socket?.once('close', code));
    await send(`${webdriver}/session/${id}`, { method: 'DELETE', headers: ana.headers });
    expect(await over).toBe(1001);
    await expect.poll(() => grid.sockets.size).toBe(0);
  });
});

describe("the grid's own routes", () => {
  const own = ['/', '/ui', '/graphql', '/se/grid/distributor/status', '/anything'];

  it("the grid's own routes are for override admins alone (contract 3.4)", async () => {
    grid.reached.length = 0;
    for (const path of own) {
      expect((await send(`${webdriver}${path}`)).status).toBe(401);
      expect((await send(`${webdriver}${path}`, { headers: ana.headers })).status).toBe(403);
      expect((await send(`${webdriver}${path}`, { headers: { cookie: entrance.admin } })).status).toBe(401);
    }
    expect(ofGrid()).toEqual([]);
    const headers = await rootHeaders();
    for (const path of own) expect((await send(`${webdriver}${path}`, { headers })).status).toBe(200);
    expect(ofGrid().map(({ url }) => url)).toEqual(own.map((path) => `/grid${path}`));
  });

  it("the grid's own routes tell everybody whether it is ready, and admins the rest (contract 7, status)", async () => {
    const id = await createdBy(webdriver, ana);
    const open = await send(`${webdriver}/status`);
    expect([open.status, open.body.value]).toEqual([200, { ready: true, message: 'the grid is ready' }]);
    expect(JSON.stringify((await send(`${webdriver}/status`, { headers: ana.headers })).body)).not.toContain(
      id,
    );
    const whole = await send(`${webdriver}/status`, { headers: await rootHeaders() });
    expect(JSON.stringify(whole.body)).toContain(id);
  });

  it('the service’s own pages and API are where they were (contract 9)', async () => {
    expect((await send(`${entrance.url}/svc/api/health`)).body).toEqual({ ok: true });
    expect((await send(`${entrance.url}/svc/sign-in`)).status).toBe(200);
    const { ticket } = (await (
      await entrance.api('/events/ticket', { method: 'POST', headers: { cookie: ana.cookie } })
    ).json()) as { ticket: string };
    const events = await upgrade(entrance.url, `/svc/api/events?ticket=${ticket}`);
    expect(events.status).toBe(101);
    await close(events.socket);
  });
});

it('no secret of a client comes to rest (specification 5.4.6)', async () => {
  const written = readdirSync(entrance.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  for (const text of [entrance.output(), JSON.stringify(grid.reached), ...written]) {
    for (const { token } of [ana, bob]) expect(text.includes(token)).toBe(false);
  }
  expect(entrance.output()).not.toContain('Z3JpZDpwYXNz');
});
