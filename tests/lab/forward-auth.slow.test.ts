import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, freshDataDir, type RunningServer, request, startLab } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';

const page = readPage('docs/guides/forward-auth.md');

let lab: RunningServer;
let admin: string;
let ana: Person;
let bob: Person;
let mine: string;

beforeAll(async () => {
  lab = await startLab();
  admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
  bob = await makePerson(lab, admin, 'bob@example.org');
  mine = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
});
afterAll(() => lab?.stop());

const UNKNOWN = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
/** Headers that a browser sends with a change by a page at that address. */
const OWN_PAGE = { host: 'lab.example.org', origin: 'https://lab.example.org' };
type Sent = Readonly<Record<string, string>>;

/** For each kind of proxy, the headers that describe the request to forward. */
const PROXIES = {
  nginx: (method: string, uri: string, sent: Sent) =>
    verify('', { ...sent, 'x-original-uri': uri, 'x-original-method': method }),
  'ingress-nginx': (method: string, uri: string, sent: Sent) =>
    verify('', { ...sent, 'x-original-url': `https://lab.example.org${uri}`, 'x-original-method': method }),
  traefik: (method: string, uri: string, sent: Sent) =>
    verify('', {
      ...sent,
      'x-forwarded-uri': uri,
      'x-forwarded-method': method,
      'x-forwarded-host': 'lab.example.org',
      'x-forwarded-proto': 'https',
    }),
  envoy: (method: string, uri: string, sent: Sent) => verify(uri, { 'content-length': '0', ...sent }, method),
};
const kinds = Object.entries(PROXIES);

interface Verdict {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly error?: string };
}

/** Sends the path byte for byte, because `fetch` would normalise it. */
function verify(suffix: string, headers: Sent, method = 'GET'): Promise<Verdict> {
  return new Promise((done, failed) => {
    const path = `/svc/api/auth/verify${suffix}`;
    const { hostname, port } = new URL(lab.url);
    const req = send({ hostname, port, path, method, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      res.on('end', () =>
        done({
          status: res.statusCode ?? 0,
          headers: res.headers,
          body: text === '' ? {} : JSON.parse(text),
        }),
      );
    });
    req.once('error', failed).end();
  });
}

describe.each(kinds)('GET /auth/verify as %s asks', (kind, ask) => {
  it('GET /auth/verify lets the owner to the session, by pair and bearer (spec 5.7.3)', async () => {
    const minted = await lab.api('/auth/token', { method: 'POST', headers: ana.headers, json: {} });
    const { token } = (await minted.json()) as { token: string };
    for (const sent of [ana.headers, { authorization: `Bearer ${token}` }]) {
      const answer = await ask('POST', `/session/${mine}/element/x/click`, sent);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'x-svc-user': ana.userId, 'x-svc-role': 'Member' });
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('GET /auth/verify refuses unauthenticated clients with 401, everyone else with 403, unknown alike (spec 5.7.2, 5.7.4; contract 7)', async () => {
    const uri = (id: string) => `/session/${id}/url`;
    expect((await ask('GET', uri(mine), {})).body.error).toBe('unauthenticated');
    expect((await ask('GET', uri(mine), { cookie: ana.cookie })).status).toBe(401);
    expect((await ask('GET', uri(mine), { ...ana.headers, 'x-svc-token': 'svct_x' })).status).toBe(401);
    const same = { 'x-request-id': `same-${kind}` };
    const [others, unknown] = await Promise.all(
      [mine, UNKNOWN].map((id) => ask('GET', uri(id), { ...bob.headers, ...same })),
    );
    expect(others?.status).toBe(403);
    expect({ ...unknown?.headers, date: '' }).toEqual({ ...others?.headers, date: '' });
    expect(unknown?.body).toEqual(others?.body);
    expect(others?.headers).not.toHaveProperty('x-svc-user');
  });

  it('GET /auth/verify reads the path as every server behind could, and refuses what has two readings (contract 7)', async () => {
    const at = (uri: string, person: Person) => ask('GET', uri, person.headers).then(({ status }) => status);
    for (const uri of [
      `//session//${mine}`,
      `/wd/hub/SESSION/${mine}`,
      `/%73ession/${mine}`,
      `/bidi/${mine}`,
    ]) {
      expect([uri, await at(uri, ana), await at(uri, bob)]).toEqual([uri, 200, 403]);
    }
    for (const uri of [
      `/session/${mine}/../${UNKNOWN}`,
      `/x/%2e%2e/session/${mine}`,
      `/bidi?/bidi/${mine}`,
    ]) {
      expect([uri, await at(uri, ana)]).toEqual([uri, 403]);
    }
    expect((await ask('GET', `/session/${mine}/session/${UNKNOWN}`, ana.headers)).status).toBe(403);
  });

  it('creates need scope sessions, lists an admin, the rest any credential (spec 5.4.3, 5.7.8)', async () => {
    const reading = await lab.api('/profile/tokens', {
      method: 'POST',
      headers: ana.headers,
      json: { name: 'reads', scopes: ['read'] },
    });
    const { token } = (await reading.json()) as { token: string };
    const reader = { ...ana.headers, 'x-svc-token': token };
    const rows: [string, string, Sent, number][] = [
      ['POST', '/session', ana.headers, 200],
      ['POST', '/wd/hub/session', reader, 403],
      ['POST', '/session', { cookie: ana.cookie, ...OWN_PAGE }, 401],
      ['GET', '/appium/sessions', ana.headers, 403],
      ['GET', '/appium/sessions', { cookie: admin }, 200],
      ['GET', `/svc/api/session/${mine}`, bob.headers, 200],
      ['GET', '/ui/', { cookie: ana.cookie }, 200],
      ['GET', '/ui/', reader, 200],
      ['GET', '/ui/', {}, 401],
    ];
    for (const row of rows) {
      const [method, uri, sent, status] = row;
      expect([...row, (await ask(method, uri, sent)).status]).toEqual([...row, status]);
    }
  });

  it('a cookie changes something only from the page of its own origin (spec 5.6)', async () => {
    const from = (origin: string, more: Sent = {}) =>
      ask('POST', '/graphql', { cookie: ana.cookie, ...OWN_PAGE, origin, ...more });
    expect((await from(OWN_PAGE.origin)).status).toBe(200);
    expect((await from('https://evil.example.com')).body.error).toBe('CSRF: Origin/Referer mismatch');
    expect((await from('https://evil.example.com', ana.headers)).status).toBe(200);
    const socket = { cookie: ana.cookie, ...OWN_PAGE, origin: 'https://evil.example.com' };
    expect((await ask('GET', '/live', { ...socket, 'sec-websocket-key': 'x' })).status).toBe(403);
  });

  it('GET /auth/verify is not counted (spec 8.1.4)', async () => {
    const before = await lab.api('/auth/me', { headers: bob.headers });
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask('GET', '/ui/', bob.headers)));
    const after = await lab.api('/auth/me', { headers: bob.headers });
    const left = (answer: Response) => Number(answer.headers.get('x-ratelimit-remaining'));
    expect(left(after)).toBeGreaterThanOrEqual(left(before) - 1);
    expect(Object.keys(answers[0]?.headers ?? {}).join()).not.toContain('ratelimit');
  });

  it('GET /auth/verify tells an Admin why (contract 7)', async () => {
    const id = `why-${kind}`;
    await ask('GET', `/session/${mine}/url?secret=1`, { ...bob.headers, 'x-request-id': id });
    const why = await lab.api(`/explain/${id}`, { headers: { cookie: admin } });
    expect(await why.json()).toMatchObject({
      method: 'GET',
      path: `/session/${mine}/url`,
      status: 403,
      reason: 'the session belongs to someone else',
      caller: bob.userId,
      sessionId: mine,
    });
    const line = `Command refused: GET /session/${mine}/url (session ${mine}, caller ${bob.userId}): `;
    expect(lab.output()).toContain(`${line}the session belongs to someone else`);
  });
});

describe('GET /auth/verify and headers that a client adds', () => {
  it.each([
    [{ 'x-original-uri': `/session/${UNKNOWN}`, 'x-forwarded-uri': '/ui/' }],
    [{ 'x-forwarded-uri': '/ui/', 'x-original-url': 'http://lab/session/1' }],
    [{}],
    [{ 'x-original-uri': '' }],
    [{ 'x-original-uri': '/ui/, /ui/' }],
  ])('%o names no request (contract 7)', async (headers) => {
    const answer = await verify('', { ...ana.headers, ...(headers as Sent) });
    expect(answer).toMatchObject({ status: 403, body: { error: 'invalid_target' } });
  });

  it('a body beside them is not read (contract 7)', async () => {
    const sent = { ...ana.headers, 'content-type': 'text/plain', 'content-length': '0' };
    expect((await verify(`/session/${mine}/url`, sent, 'POST')).status).toBe(200);
    expect((await verify('/x', { ...ana.headers, 'x-original-uri': '/y' }, 'POST')).status).toBe(403);
  });
});

interface Nginx {
  readonly url: string;
  readonly child: ChildProcess;
}

/**
 * Starts nginx with the files of the documentation page, in which only the addresses are changed. `svc` is the server
 * that authenticates, `webdriver` the server that is guarded.
 */
async function startNginx({ svc, webdriver }: { svc: string; webdriver: string }): Promise<Nginx> {
  const port = await freePort();
  const folder = freshDataDir();
  const server = page
    .block('svc-server.conf')
    .replace(/(upstream svc \{\s*server )\S+;/, `$1${svc};`)
    .replace(/(upstream webdriver \{\s*server )\S+;/, `$1${webdriver};`)
    .replace('127.0.0.1:8080', `127.0.0.1:${port}`);
  writeFileSync(join(folder, 'svc-guard.conf'), page.block('svc-guard.conf'));
  writeFileSync(join(folder, 'svc-server.conf'), server);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr notice;
    events {} http { access_log off; ${temporary.join(' ')} include ${folder}/svc-server.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
  });
  await new Promise<void>((started, failed) => {
    let output = '';
    child.once('error', (cause) => failed(new Error('nginx is not installed', { cause })));
    child.once('close', () => failed(new Error(`nginx ended:\n${output}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('OS: ')) started();
    });
  });
  return { url: `http://127.0.0.1:${port}`, child };
}

describe('docs/guides/forward-auth.md with nginx', () => {
  let guarded: Nginx;
  let unguarded: Nginx;
  let behind: Server;
  const seen: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    // The guarded server records requests and forwards them to the lab.
    behind = createServer((req, res) => {
      seen.push(req.headers);
      const { hostname, port } = new URL(lab.url);
      const { method, url: path, headers } = req;
      const onward = send({ hostname, port, path, method, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(res);
      });
      req.pipe(onward);
    });
    await new Promise<void>((listening) => behind.listen(0, '127.0.0.1', listening));
    const webdriver = `127.0.0.1:${(behind.address() as AddressInfo).port}`;
    guarded = await startNginx({ svc: new URL(lab.url).host, webdriver });
    unguarded = await startNginx({ svc: `127.0.0.1:${await freePort()}`, webdriver });
  });
  afterAll(async () => {
    guarded?.child.kill();
    unguarded?.child.kill();
    behind?.closeAllConnections();
    await new Promise((closed) => behind?.close(closed));
  });

  const drive = (sent: Sent, path: string, init: RequestInit = {}) =>
    request(`${guarded.url}${path}`, { ...init, headers: { ...sent, ...(init.headers as Sent) } });

  it('a session created and driven through it, credentials ending at the proxy (spec 5.7.2)', async () => {
    const created = await createSession(guarded.url, pairOf(ana), { headers: ana.headers });
    expect(created.status).toBe(200);
    const id = created.body.value.sessionId;
    seen.length = 0;
    const forged = { 'x-svc-user': 'root', 'x-svc-role': 'Super admin' };
    const answer = await drive({ ...ana.headers, ...forged, cookie: 'a=b' }, `/session/${id}/timeouts`);
    expect(answer.status).toBe(200);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ 'x-svc-user': ana.userId, 'x-svc-role': 'Member' });
    expect(Object.keys(seen[0] ?? {}).join()).not.toMatch(
      /x-svc-token|x-svc-access-key|authorization|cookie/,
    );
    expect((await drive(ana.headers, `/session/${id}`, { method: 'DELETE' })).status).toBe(200);
  });

  it('a refused command never gets past nginx, and looks like an unknown session (spec 5.7.4, contract 7)', async () => {
    seen.length = 0;
    const evasions = { 'x-original-uri': '/ui/', 'x-forwarded-uri': '/ui/', 'x-original-method': 'GET' };
    for (const [sent, id] of [
      [{}, mine],
      [bob.headers, mine],
      [{ ...bob.headers, ...evasions }, mine],
      [{ cookie: ana.cookie }, mine],
      [ana.headers, UNKNOWN],
    ] as const) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await drive(sent, `/session/${id}/url`, { method });
        expect([answer.status, await answer.text()]).toEqual([404, UNKNOWN_SESSION_BODY]);
      }
    }
    expect((await drive({}, '/session', { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await drive(bob.headers, '/appium/sessions')).status).toBe(403);
    expect((await drive(bob.headers, `/%73ession/${mine}/url`)).status).toBe(404);
    expect((await drive(bob.headers, `/x%2f..%2fsession%2f${mine}/url`)).status).toBe(404);
    expect(seen).toEqual([]);
    expect((await drive(ana.headers, '/svc-verify')).status).toBe(404);
  });

  it('/svc/ needs no guard (contract 1)', async () => {
    expect((await drive({}, '/svc/api/health')).status).toBe(200);
    expect((await drive({}, '/svc/api/auth/me')).status).toBe(401);
    expect((await drive(ana.headers, '/svc/api/auth/me')).status).toBe(200);
    expect((await drive({ cookie: ana.cookie }, `/svc/api/session/${mine}`)).status).toBe(200);
  });

  it('a path cannot lead around nginx: what reaches the server is what nginx matched (contract 7)', async () => {
    const { hostname, port } = new URL(guarded.url);
    for (const path of [
      `/session/${mine}/../../svc/api/health`,
      `/session/${mine}/%2e%2e/..%2fsvc/api/health`,
    ]) {
      const text = await new Promise<string>((done, failed) => {
        const req = send({ hostname, port, path }, (res) => {
          let body = '';
          res.setEncoding('utf8').on('data', (part: string) => {
            body += part;
          });
          res.on('end', () => done(body));
        });
        req.once('error', failed).end();
      });
      expect(JSON.parse(text)).toEqual({ ok: true });
    }
  });

  it('docs/guides/forward-auth.md with nginx guards the sockets of a session as well (spec 5.7.7)', async () => {
    const host = new URL(lab.url).host;
    const direct = await startNginx({ svc: host, webdriver: host });
    try {
      const capabilities = { webSocketUrl: true };
      const created = await createSession(direct.url, pairOf(ana), { headers: ana.headers, capabilities });
      const path = `/bidi/${created.body.value.sessionId}`;
      for (const [sent, status] of [
        [{}, 401],
        [{ cookie: ana.cookie }, 401],
        [bob.headers, 403],
        [ana.headers, 101],
      ] as const) {
        const answer = await upgrade(direct.url, path, sent);
        await close(answer.socket);
        expect(answer.status).toBe(status);
      }
      expect((await upgrade(direct.url, `/bidi?${path}`, ana.headers)).status).toBe(403);
    } finally {
      direct.child.kill();
    }
  });

  it('no check, no request: 503 once the server that is asked is gone (spec 5.7.5)', async () => {
    seen.length = 0;
    for (const path of [`/session/${mine}/url`, '/status']) {
      const answer = await request(`${unguarded.url}${path}`, { headers: ana.headers });
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ value: { error: 'unknown error' } });
    }
    expect(seen).toEqual([]);
  });
});
