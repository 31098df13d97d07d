import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type RunningServer, request } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';
import {
  command,
  devicesOf,
  type Hub,
  isThere,
  signInToNode,
  startHub,
  startNode,
  until,
} from './support/hub.ts';
import { type Recorder, startRecorder } from './support/recorder.ts';

const BASE = '/wd';

let hub: Hub;
let webdriver: string;
let node: RunningServer;
let recorder: Recorder;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  const port = await freePort();
  recorder = await startRecorder(port);
  hub = await startHub({
    env: { SVC_BASE_PATH: BASE, SVC_LAB_SESSION_DISCOVERY: 'true', SVC_LAB_DEVICES: '1' },
  });
  webdriver = `${hub.url}${BASE}`;
  node = await startNode(hub, {
    prefix: 'far',
    port,
    url: recorder.url,
    env: { SVC_LAB_LOG_LEVEL: 'debug' },
  });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
});
afterAll(() => recorder?.close());

const far = { 'appium:udid': 'far-1' };

async function createFar(person: Person, capabilities = {}) {
  const options = { capabilities: { ...far, ...capabilities } };
  const { status, body } = await createSession(hub.url, pairOf(person), options);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.value as { sessionId: string; capabilities: Record<string, unknown> };
}

const end = (id: string, person: Person) => command(webdriver, id, '', person.headers, 'DELETE');
const sessionOf = async (id: string, { cookie }: Person) =>
  (await (await hub.api(`/session/${id}`, { headers: { cookie } })).json()) as Record<string, unknown>;

describe('registration (contract 8.1)', () => {
  const register = (json: object, headers: Record<string, string>) =>
    hub.api('/nodes', { method: 'POST', json, headers });
  const other = { url: 'http://127.0.0.1:9', version: '1', devices: [] as object[] };

  it('the registration of a node is for an Admin with admin, and not for Members or without a credential (contract 8.1)', async () => {
    expect((await register(other, {})).status).toBe(401);
    expect((await register(other, ana.headers)).status).toBe(403);
    const bad = await register({ ...other, url: 'ftp://x' }, hub.nodeKey.headers);
    expect([bad.status, await bad.json()]).toMatchObject([400, { error: 'invalid_url' }]);
  });

  it('a registration with a phone of another server is refused for that phone, which it names, and others are accepted (contract 8.1)', async () => {
    const devices = [
      { udid: 'far-1' },
      { udid: 'hub-1' },
      { udid: 'third-1', name: 'Third', platform: 'Fake' },
    ];
    const answer = await register({ ...other, devices }, hub.nodeKey.headers);
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { error: 'conflict', message: expect.stringMatching(/far-1, hub-1/), udids: ['far-1', 'hub-1'] },
    ]);
    const rows = await devicesOf(hub, hub.admin);
    expect(rows.map(({ udid, node: at }) => [udid, at]).sort()).toEqual([
      ['far-1', new URL(recorder.url).host],
      ['hub-1', null],
      ['third-1', '127.0.0.1:9'],
    ]);
    await register(other, hub.nodeKey.headers);
  });

  it('the registration of a node is renewed by the account that registered it and by no other, until an Admin removes the node', async () => {
    const carl = await makePerson(hub, hub.admin, 'carl@example.test', 'Super admin');
    expect((await register(other, carl.headers)).status).toBe(409);
    const path = `/nodes/${encodeURIComponent('127.0.0.1:9')}`;
    const removed = await hub.api(path, { method: 'DELETE', headers: hub.nodeKey.headers });
    expect(removed.status).toBe(204);
    expect((await register(other, carl.headers)).status).toBe(200);
    await hub.api(path, { method: 'DELETE', headers: hub.nodeKey.headers });
    const nodes = await (await hub.api('/nodes', { headers: hub.nodeKey.headers })).json();
    expect(nodes).toMatchObject([{ name: new URL(recorder.url).host, status: 'online', devices: 1 }]);
  });
});

describe('a session on a node', () => {
  it('a session on a node runs, is driven by its owner and through the hub alone, and ends (contract 8.2, 8.3)', async () => {
    const { sessionId: id } = await createFar(ana);
    expect((await command(webdriver, id, '/timeouts', ana.headers)).status).toBe(200);
    const refused = await command(webdriver, id, '/timeouts', bob.headers);
    expect([refused.status, refused.body]).toMatchObject([404, { value: { error: 'invalid session id' } }]);
    const admin = await makePerson(node, await signInToNode(node), 'root@example.test', 'Super admin');
    expect((await command(node.url, id, '/timeouts', admin.headers)).status).toBe(404);
    const ended = await node.api(`/session/${id}`, { method: 'DELETE', headers: admin.headers });
    expect([ended.status, await ended.json()]).toMatchObject([403, { error: 'managed_by_hub' }]);
    const typed = { method: 'POST', headers: admin.headers, json: { text: 'typed at the node' } };
    expect((await node.api('/control/far-1/text', typed)).status).toBe(403);
    expect(await sessionOf(id, ana)).toMatchObject({
      status: 'running',
      node: new URL(recorder.url).host,
      owner: { id: ana.userId },
      device: { udid: 'far-1' },
    });
    expect((await end(id, ana)).status).toBe(200);
    expect(await sessionOf(id, ana)).toMatchObject({ status: 'ended', failureCategory: null });
    expect((await command(webdriver, id, '/timeouts', ana.headers)).status).toBe(404);
  });

  it('a session on a node shows no namespace that held nothing but credentials, to its client, driver and record (contract 6.2)', async () => {
    const { sessionId: id, capabilities } = await createFar(ana, { 'lab:options': { build: 'b' } });
    const driver = await command(webdriver, id, '/appium/capabilities', ana.headers);
    expect(driver.status).toBe(200);
    const seen = [capabilities, (driver.body as { value: { capabilities: object } }).value.capabilities];
    for (const each of [...seen, (await sessionOf(id, ana)).capabilities]) {
      expect(each).not.toHaveProperty(['svc:options']);
      expect(each).toMatchObject({ 'lab:options': { build: 'b' } });
    }
    await end(id, ana);
  });

  it('a session on a node opens its BiDi socket at the hub, by the hub (contract 8.2)', async () => {
    const { sessionId: id, capabilities } = await createFar(ana, { webSocketUrl: true });
    expect(capabilities.webSocketUrl).toBe(`ws://${new URL(hub.url).host}${BASE}/bidi/${id}`);
    const { webSocketUrl } = capabilities;
    expect(await sessionOf(id, ana)).toMatchObject({ capabilities: { webSocketUrl } });
    const listed = await request(`${webdriver}/appium/sessions`, { headers: ana.headers });
    expect(await listed.json()).toMatchObject({ value: [{ id, capabilities: { webSocketUrl } }] });
    const target = new URL(String(webSocketUrl)).pathname;
    expect((await upgrade(hub.url, target, bob.headers)).status).toBe(404);
    expect((await upgrade(node.url, `/bidi/${id}`, ana.headers)).status).toBe(404);
    const opened = await upgrade(hub.url, target, ana.headers);
    expect(opened.status).toBe(101);
    if (opened.socket === undefined) throw new Error('not open');
    expect(await bidi(opened.socket, 'session.status')).toMatchObject({ type: 'success' });
    await close(opened.socket);
    await end(id, ana);
  });

  it('a session on a node has its svc: commands and its log at the hub (contract 6.5, 2)', async () => {
    const { sessionId: id } = await createFar(ana);
    const script = { script: 'svc: setSessionName', args: [{ name: 'far away' }] };
    const named = await command(webdriver, id, '/execute/sync', ana.headers, 'POST', script);
    expect([named.status, named.body.value]).toEqual([200, { recorded: true }]);
    await command(webdriver, id, '/timeouts', ana.headers, 'POST', { implicit: 77 });
    expect(await sessionOf(id, ana)).toMatchObject({ name: 'far away' });
    const log = await until(
      async () => (await hub.api(`/session/${id}/session_log`, { headers: { cookie: ana.cookie } })).json(),
      (answer: unknown) => JSON.stringify(answer).includes('"implicit":77'),
    );
    expect(JSON.stringify(log)).toContain('far away');
    await end(id, ana);
  });

  it('a session on a node is listed at the hub to its owner (contract 7)', async () => {
    const { sessionId: id } = await createFar(ana);
    const list = async (headers: Record<string, string>) =>
      JSON.stringify(await (await request(`${webdriver}/appium/sessions`, { headers })).json());
    expect(await list(ana.headers)).toContain(id);
    expect(await list(bob.headers)).not.toContain(id);
    await end(id, ana);
  });

  it('a session on a node is ended over the API, and its phone is free again on both sides (contract 2)', async () => {
    const { sessionId: id } = await createFar(ana);
    const gone = await hub.api(`/session/${id}`, { method: 'DELETE', headers: ana.headers });
    expect(gone.ok).toBe(true);
    await end((await createFar(bob)).sessionId, bob);
  });

  it('a session on a node passes large bodies both ways, in pieces of unknown number', async () => {
    const { sessionId: id } = await createFar(ana);
    const large = randomBytes(1_500_000).toString('base64');
    const pieces = [`{"script":"return 1","args":["`, large, `"]}`];
    const answer = await fetch(`${webdriver}/session/${id}/execute/sync`, {
      method: 'POST',
      headers: { ...ana.headers, 'content-type': 'application/json' },
      body: new ReadableStream({
        pull: (stream) => {
          const piece = pieces.shift();
          if (piece === undefined) stream.close();
          else stream.enqueue(new TextEncoder().encode(piece));
        },
      }),
      duplex: 'half',
    } as RequestInit);
    const answered = await answer.text();
    // The end of the body may be spread over two chunks.
    const sent = recorder
      .received()
      .toString('latin1')
      .replace(/\r\n[0-9a-f]+\r\n/gi, '');
    expect(sent.includes(large.slice(-2_000))).toBe(true);
    expect(answered).toContain('value');
    await end(id, ana);
  });
});

describe('a node (contract 8.3)', () => {
  it('a node creates no session that does not come through its hub, whatever is presented (contract 8.3)', async () => {
    const admin = await makePerson(node, await signInToNode(node), 'admin@example.test', 'Super admin');
    const used = hubTokens().filter(({ aud }) => aud === 'svc-node-create');
    expect(used.length).toBeGreaterThan(0);
    for (const headers of [
      {},
      admin.headers,
      { 'x-svc-hub-token': 'x' },
      { 'x-svc-hub-token': used[0]?.text },
    ]) {
      const { status, body } = await createSession(node.url, pairOf(admin), {
        headers: headers as Record<string, string>,
      });
      expect(status).toBe(500);
      expect(body.value).toMatchObject({
        error: 'session not created',
        message: expect.stringMatching(/^session rejected: create sessions through the hub/),
      });
    }
  });

  it('a node gets tokens of the kinds, subjects and lives of the contract (contract 8.3)', () => {
    const tokens = hubTokens();
    for (const { aud, udid, sid, sub, life } of tokens) {
      if (aud === 'svc-node-create') expect([udid, life]).toEqual(['far-1', 120]);
      else expect([aud, typeof sid, life >= 60 && life <= 300]).toEqual(['svc-node', 'string', true]);
      expect([ana.userId, bob.userId]).toContain(sub);
    }
    const created = tokens.filter(({ aud }) => aud === 'svc-node-create').map(({ text }) => text);
    expect(new Set(created).size).toBe(created.length);
  });

  it("a node is never sent a client's secret or cookie, and writes none (contract 8.3)", () => {
    const received = recorder.received();
    const written = [
      Buffer.from(node.output()),
      ...readdirSync(node.dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
    ];
    for (const { accessKey, token, cookie } of [ana, bob]) {
      for (const secret of [token, accessKey, cookie.split('=')[1] as string]) {
        expect(received.includes(secret)).toBe(false);
        expect(written.some((each) => each.includes(secret))).toBe(false);
      }
    }
    expect(received.toString('latin1')).not.toMatch(
      /\r\n(?:cookie|authorization|x-svc-token|x-svc-access-key):/i,
    );
  });
});

/** @returns every hub token that was sent to the node */
function hubTokens() {
  const found = recorder
    .received()
    .toString('latin1')
    .matchAll(/\r\nx-svc-hub-token: (\S+)\r\n/gi);
  return [...new Set([...found].map(([, text]) => text as string))].map((text) => {
    const { aud, udid, sid, sub, iat, exp } = decodeJwt(text) as Record<string, unknown>;
    return { text, aud, udid, sid, sub, life: Number(exp) - Number(iat) };
  });
}
