import { generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, freshDataDir, type RunningServer } from '../support/lab.ts';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';
import { command, signInToNode, startNode, until } from './support/hub.ts';
import { type StandInHub, startStandInHub, type TokenParts } from './support/stand-in-hub.ts';

/** Tests a node from the side of its hub: everything that it requests and accepts. The test has the key of the hub. */

const KEY = {
  id: 'x',
  accessKey: `svc_${'k'.repeat(24)}`,
  token: `svct_${'t'.repeat(49)}`,
  headers: { 'x-svc-access-key': '', 'x-svc-token': '' },
};
const HUB_ONLY = /^session rejected: create sessions through the hub/;

let hub: StandInHub;
let node: RunningServer & { port: number };
let ownAdmin: string;
const dataDir = freshDataDir();
const options = async () => ({
  prefix: 'far',
  dataDir,
  port: await freePort(),
  key: KEY,
  env: { SVC_LAB_DEVICES: '3', SVC_BASE_PATH: '/wd', SVC_LAB_LOG_LEVEL: 'debug' },
});
const webdriver = () => `${node.url}/wd`;

beforeAll(async () => {
  hub = await startStandInHub();
  node = await startNode({ url: hub.url, nodeKey: KEY }, await options());
  ownAdmin = await signInToNode(node);
});
afterAll(async () => {
  await node?.stop();
  await hub?.leave();
});

const create = (token: string | undefined, capabilities: Record<string, unknown> = {}) =>
  createSession(node.url, undefined, {
    capabilities,
    headers: token === undefined ? {} : { 'x-svc-hub-token': token },
  });
async function created(udid: string, capabilities: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await create(await hub.createToken(udid), capabilities);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.value.sessionId;
}
const drive = async (id: string, token: string | undefined, headers: Record<string, string> = {}) =>
  (
    await command(webdriver(), id, '/timeouts', {
      ...headers,
      ...(token === undefined ? {} : { 'x-svc-hub-token': token }),
    })
  ).status;
const end = async (id: string) =>
  command(webdriver(), id, '', { 'x-svc-hub-token': await hub.commandToken(id) }, 'DELETE');

const now = () => Math.floor(Date.now() / 1000);
/** Invalid tokens, created on demand because they depend on the time. */
const FORGED: [string, () => Promise<TokenParts> | TokenParts][] = [
  ['signed by another key', async () => ({ key: (await generateKeyPair('ES256')).privateKey })],
  ['of a key the hub does not have', () => ({ header: { kid: 'unknown' } })],
  ['without a key id', () => ({ header: { kid: undefined } })],
  ['of another type', () => ({ header: { typ: 'at+jwt' } })],
  ['that names a key of its own', () => ({ header: { jku: 'http://127.0.0.1:9/jwks.json' } })],
  ['for another audience', () => ({ claims: { aud: 'svc-node-control' } })],
  ['for a bearer', () => ({ claims: { aud: 'svc-rest' } })],
  ['of another issuer', () => ({ claims: { iss: 'somebody' } })],
  ['that ended over 30 s ago', () => ({ claims: { iat: now() - 200, exp: now() - 31 } })],
  ['from over 30 s ahead', () => ({ claims: { iat: now() + 40, exp: now() + 100 } })],
  ['that lives for over five minutes', () => ({ claims: { iat: now(), exp: now() + 301 } })],
  ['without an end', () => ({ claims: { exp: undefined } })],
  ['without an id', () => ({ claims: { jti: undefined } })],
];

describe('registration', () => {
  it('the registration of a node says where the node is, its version and phones, with its key pair, and again every 10 s (contract 8.1)', {
    timeout: 30_000,
  }, async () => {
    const before = hub.registrations.length;
    const [last, next] = await until(
      async () => hub.registrations.slice(before - 1),
      ({ length }) => length > 1,
      15_000,
    );
    expect(last?.headers).toMatchObject({ 'x-svc-access-key': KEY.accessKey, 'x-svc-token': KEY.token });
    expect(last?.body).toMatchObject({
      url: `http://127.0.0.1:${node.port}`,
      version: expect.stringMatching(/^\d+\.\d+/),
      devices: ['far-1', 'far-2', 'far-3'].map((udid) => expect.objectContaining({ udid })),
    });
    const seconds = ((next?.at ?? 0) - (last?.at ?? 0)) / 1000;
    expect(seconds).toBeGreaterThan(9);
    expect(seconds).toBeLessThan(12);
  });

  it('a node says in its log what the hub refuses, with the phone, and goes on (contract 8.1)', async () => {
    hub.answer(409, { error: 'conflict', message: 'another server has the phone far-2', udids: ['far-2'] });
    const id = await created('far-1');
    await end(id);
    await node.line(/The hub refuses: another server has the phone far-2/);
    hub.answer(200, {});
  });
});

describe('a create at a node', () => {
  it.each(FORGED)('a create at a node is refused with a token %s (contract 8.3)', async (_name, parts) => {
    const { status, body } = await create(await hub.createToken('far-1', await parts()));
    expect([status, body.value.error]).toEqual([500, 'session not created']);
    expect(body.value.message).toMatch(HUB_ONLY);
  });

  it('a create at a node is refused with a token for commands, for no phone, or none, whoever asks (contract 8.3)', async () => {
    const person = await makePerson(node, ownAdmin, 'root@example.test', 'Super admin');
    const none = await hub.createToken('', { claims: { udid: undefined } });
    for (const token of [await hub.commandToken('x'), none, undefined, '', 'a.b.c']) {
      const headers = { ...person.headers, ...(token === undefined ? {} : { 'x-svc-hub-token': token }) };
      const { status, body } = await createSession(node.url, pairOf(person), { headers });
      expect([status, body.value.error]).toEqual([500, 'session not created']);
      expect(body.value.message).toMatch(HUB_ONLY);
    }
  });

  it('a create at a node runs once for a token, of any number at once, and not again after a restart (contract 8.2)', async () => {
    const token = await hub.createToken('far-1');
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(token)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    await end(good[0]?.body.value.sessionId as string);
    expect((await create(token)).body.value.message).toMatch(HUB_ONLY);
    await node.stop('SIGKILL');
    node = await startNode({ url: hub.url, nodeKey: KEY }, await options());
    expect((await create(token)).body.value.message).toMatch(HUB_ONLY);
  });

  it('a create at a node runs on the phone of its token, whatever else it asks for (contract 8.2)', async () => {
    const id = await created('far-2', { 'appium:udid': 'far-1' });
    const listed = await node.api(`/session/${id}`, { headers: { cookie: ownAdmin } });
    expect(await listed.json()).toMatchObject({ owner: null, device: { udid: 'far-2' } });
    const busy = await create(await hub.createToken('far-2'));
    expect([busy.status, busy.body.value.error]).toEqual([500, 'session not created']);
    await end(id);
    await end(await created('far-2'));
  });

  it('a create at a node takes a clock that is off by up to 30 s, and names what is more in its log (contract 4)', async () => {
    const slow = { claims: { iat: now() - 145, exp: now() - 25 } };
    const fast = { claims: { iat: now() + 25, exp: now() + 145 } };
    for (const parts of [slow, fast]) {
      const { status, body } = await create(await hub.createToken('far-1', parts));
      expect(status, JSON.stringify(body)).toBe(200);
      await end(body.value.sessionId);
    }
    await create(await hub.createToken('far-1', { claims: { iat: now() + 90, exp: now() + 120 } }));
    await node.line(/clocks of hub and node must agree within 30 s/);
  });
});

describe('a command at a node', () => {
  it('a command of a session that came through the hub needs the token for it, and nothing else helps (contract 8.3)', async () => {
    const [id, other] = [await created('far-1'), await created('far-2')];
    const person = await makePerson(node, ownAdmin, 'boss@example.test', 'Super admin');
    expect(await drive(id, await hub.commandToken(id))).toBe(200);
    expect(await drive(id, undefined)).toBe(404);
    expect(await drive(id, undefined, person.headers)).toBe(404);
    expect(await drive(id, undefined, { cookie: ownAdmin })).toBe(404);
    expect(await drive(id, await hub.commandToken(other), person.headers)).toBe(404);
    expect(await drive(id, await hub.createToken('far-1'))).toBe(404);
    expect(await drive(id, await hub.commandToken('', { claims: { sid: undefined } }))).toBe(404);
    for (const [name, parts] of FORGED)
      expect([name, await drive(id, await hub.commandToken(id, await parts()))]).toEqual([name, 404]);
    const twice = `${await hub.commandToken(id)}, ${await hub.commandToken(id)}`;
    expect(await drive(id, twice)).toBe(404);
    for (const spelling of [`/${id}`, encodeURIComponent(id).replace('-', '%2d')])
      expect((await command(webdriver(), spelling, '/timeouts', person.headers)).status).toBe(404);
    await end(id);
    await end(other);
  });

  it('a socket of such a session needs the token for it, too (contract 8.3)', async () => {
    const id = await created('far-1', { webSocketUrl: true });
    const person = await makePerson(node, ownAdmin, 'sock@example.test', 'Super admin');
    for (const headers of [
      {},
      person.headers,
      { 'x-svc-hub-token': await hub.commandToken('another') },
    ] as Record<string, string>[]) {
      const refused = await upgrade(node.url, `/wd/bidi/${id}`, headers);
      expect([refused.status, refused.body]).toEqual([404, '']);
    }
    const { socket } = await upgrade(node.url, `/wd/bidi/${id}`, {
      'x-svc-hub-token': await hub.commandToken(id),
    });
    if (socket === undefined) throw new Error('no socket');
    expect(await bidi(socket, 'session.status')).toMatchObject({ type: 'success' });
    await close(socket);
    await end(id);
  });
});

describe("the hub's keys", () => {
  it("the hub's keys are asked for once for any number of tokens of an unknown key (contract 8.3)", async () => {
    const before = hub.keyRequests();
    const unknown = { header: { kid: 'another' } };
    await Promise.all(
      Array.from({ length: 20 }, async () => create(await hub.createToken('far-1', unknown))),
    );
    expect(hub.keyRequests() - before).toBeLessThanOrEqual(1);
  });

  it("the hub's keys at a node outlast the hub, and a node without them answers 503 to everything (contract 8.3)", async () => {
    const id = await created('far-1');
    await hub.leave();
    expect(await drive(id, await hub.commandToken(id))).toBe(200);
    await end(id);
    const alone = await startNode(
      { url: hub.url, nodeKey: KEY },
      { ...(await options()), dataDir: freshDataDir(), prefix: 'alone' },
    );
    const { status, body } = await createSession(alone.url, undefined, {
      headers: { 'x-svc-hub-token': await hub.createToken('alone-1') },
    });
    expect([status, body.value.error]).toEqual([503, 'session not created']);
    await alone.stop();
  });
});
