import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { freePort, type KeyPair, makeToken } from '../support/lab.ts';
import { exchange, type RawResponse, rawRequest } from '../support/raw-http.ts';
import { until } from '../support/records.ts';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { bidi, close, type Upgrade, upgrade } from '../support/web-socket.ts';

type Headers = Readonly<Record<string, string>>;

const THING = 'what is of this session alone';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const UPGRADE = { Connection: 'Upgrade', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'A'.repeat(22) };

/**
 * A plugin that also serves Appium's application on `port`, and lets a header redirect a request before every route.
 */
const careless = (port: number) => `
  static async updateServer(app) {
    require('http').createServer(app).listen(${port}, '127.0.0.1');
    app.use((req, res, next) => {
      const { 'x-lead-to': to } = req.headers;
      if (to !== undefined) req.url = to;
      next();
    });
    app.router.stack.unshift(app.router.stack.pop());
  }
`;

let lab: Awaited<ReturnType<typeof startAppium>>;
let beside: string;
let ana: Person;
let bob: Person;
let root: KeyPair;
let ids: { ana: string; bob: string };

const create = (options: object, headers: Headers = {}, target = '/session', url = lab.url) =>
  rawRequest(url, target, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ capabilities: { alwaysMatch: { ...FAKE_PHONE, 'svc:options': options } } }),
  });

const idOf = ({ body }: RawResponse): string => JSON.parse(body).value.sessionId;

beforeAll(async () => {
  const port = await freePort();
  beside = `http://127.0.0.1:${port}`;
  lab = await startAppium({
    plugins: ['careless', 'svc'],
    own: { careless: careless(port) },
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true' },
    args: ['--log-level', 'debug', '--allow-insecure', '*:session_discovery'],
  });
  const admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
  bob = await makePerson(lab, admin, 'bob@example.org');
  root = await makeToken(lab.url, admin);
  ids = { ana: idOf(await create(pairOf(ana))), bob: idOf(await create(pairOf(bob))) };
  const { socket } = await upgrade(lab.url, `/bidi/${ids.ana}`, ana.headers);
  if (socket === undefined) throw new Error('its owner may not open it');
  await bidi(socket, 'appium:fake.setFakeThing', { thing: THING });
  await close(socket);
});
afterAll(() => lab?.stop());

describe('an upgrade (spec 5.7.7)', () => {
  const seen = async ({ socket, status }: Upgrade) => {
    if (socket === undefined) return status;
    const reply = await bidi(socket, 'appium:fake.getFakeThing').catch(String);
    await close(socket);
    return JSON.stringify(reply);
  };

  it('an upgrade to an own session that names another’s behind it reaches only the own one (appium-notes 8)', async () => {
    const targets = [`/bidi/${ids.bob}?x=/bidi/${ids.ana}`, `/bidi/${ids.bob}?/bidi/${ids.ana}`];
    for (const target of targets) {
      expect(await seen(await upgrade(lab.url, target, bob.headers)), target).not.toContain(THING);
    }
    const own = await upgrade(lab.url, `/bidi/${ids.ana}?x=/bidi/${ids.bob}`, ana.headers);
    expect(await seen(own)).toContain(THING);
  });

  it.each(['WebSocket', 'WEBSOCKET'])(
    'an upgrade named %s is refused like any other (spec 5.7.7)',
    async (name) => {
      const ask = (headers: Headers) =>
        rawRequest(lab.url, `/bidi/${ids.ana}`, { headers: { ...UPGRADE, ...headers, Upgrade: name } });
      for (const headers of [{}, bob.headers]) {
        expect(await ask(headers)).toMatchObject({ status: 404, body: '' });
      }
    },
  );

  it('an upgrade to a path of the service that takes none gets a bare 404 (spec 5.7.7)', async () => {
    const { status, body, socket } = await upgrade(lab.url, '/svc/api/none');
    expect({ status, body, socket }).toEqual({ status: 404, body: '', socket: undefined });
  });
});

describe('the tripwire behind the gate (spec 5.7.9)', () => {
  const isCaught = async (answering: Promise<RawResponse>, method = 'GET') => {
    const before = lab.output().length;
    expect(await answering).toMatchObject({
      status: 404,
      body: expect.stringContaining(UNKNOWN_SESSION_BODY),
    });
    // The output of a process may arrive after its response.
    const line = `Tripwire: a request to a session bypassed the gate: ${method}`;
    await until(
      async () => lab.output().slice(before),
      (said) => said.includes(line),
    );
  };

  it.each(['/session/S/timeouts', '/SESSION/S/timeouts', '/session/S/', '/session/S/timeouts?x'])(
    '%s at a second port of the application, for its owner too',
    async (target) => {
      const path = target.replace('S/', `${ids.ana}/`);
      for (const headers of [{}, ana.headers]) await isCaught(rawRequest(beside, path, { headers }));
    },
  );

  it.each(['/session', '/Session/'])('a create there: POST %s', async (target) => {
    const before = lab.output().split('Session created').length;
    await isCaught(create(pairOf(ana), {}, target, beside), 'POST');
    expect(lab.output().split('Session created')).toHaveLength(before);
  });

  it('an own session on the way in, another’s behind it', async () => {
    const path = `/session/${ids.bob}/timeouts`;
    const led = (id: string) =>
      rawRequest(lab.url, path, { headers: { ...bob.headers, 'X-Lead-To': `/session/${id}/timeouts` } });
    await isCaught(led(ids.ana));
    expect((await led(ids.bob)).status).toBe(200);
  });

  it('no session on the way in, a session or a create behind it', async () => {
    const lead = { ...ana.headers, 'X-Lead-To': `/session/${ids.ana}/timeouts` };
    await isCaught(rawRequest(lab.url, '/status', { headers: lead }));
    const timeouts = `/session/${ids.ana}/timeouts`;
    await isCaught(create({}, { ...ana.headers, 'X-Lead-To': '/session' }, timeouts), 'POST');
  });
});

describe('an idempotency key (contract 7)', () => {
  const KEY = { 'X-Idempotency-Key': 'same' };
  const REPLAYED = 'Rerouting its response';

  it('an idempotency key on a command belongs to its caller alone, also among those who may send it (contract 7)', async () => {
    const before = lab.output().length;
    const set = async (headers: Headers, value: number) => {
      const path = `/session/${ids.ana}/appium/settings`;
      const body = JSON.stringify({ settings: { value } });
      const sent = { method: 'POST', headers: { ...JSON_TYPE, ...KEY, ...headers }, body };
      expect((await rawRequest(lab.url, path, sent)).status).toBe(200);
    };
    await set(ana.headers, 1);
    await set(root.headers, 2);
    const { body } = await rawRequest(lab.url, `/session/${ids.ana}/appium/settings`, {
      headers: ana.headers,
    });
    expect(body).toContain('"value":2');
    expect(lab.output().slice(before)).not.toContain(REPLAYED);
  });

  it('an idempotency key of creates without an owner belongs to no one, so each create is a session (contract 7)', async () => {
    const [first, second] = [idOf(await create({}, KEY)), idOf(await create({}, KEY))];
    expect(second).not.toBe(first);
  });

  it('an idempotency key repeats a response and leaves no connection without a response to its next request (contract 7)', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const path = `/session/${ids.ana}/appium/settings`;
    const ask = async (method: string, headers: Headers, body?: object) => {
      const asked = httpRequest(`${lab.url}${path}`, {
        ...{ agent, method },
        headers: { ...JSON_TYPE, ...ana.headers, ...headers },
      });
      asked.end(body === undefined ? undefined : JSON.stringify(body));
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return [answer.statusCode, await text(answer)];
    };
    const key = { 'X-Idempotency-Key': 'of one connection' };
    const first = await ask('POST', key, { settings: { of: 'one connection' } });
    expect(await ask('POST', key, { settings: { of: 'another' } })).toEqual(first);
    expect(await ask('GET', {})).toEqual([200, expect.stringContaining('one connection')]);
    agent.destroy();
  });

  it('an idempotency key of creates that lead nowhere belongs to no one (contract 7)', async () => {
    const before = lab.output().length;
    for (const person of [ana, bob]) {
      expect((await create(pairOf(person), KEY, '//session')).status).toBe(404);
    }
    expect(lab.output().slice(before)).not.toContain(REPLAYED);
    expect(lab.output().slice(before)).not.toContain('idempotency key');
  });
});

it('a list asked for with two Authorization headers is empty (spec 5.7.8)', async () => {
  const answer = await lab.api('/auth/token', { method: 'POST', headers: { cookie: ana.cookie }, json: {} });
  const bearer = `Authorization: Bearer ${((await answer.json()) as { token: string }).token}\r\n`;
  const ask = (headers: string) =>
    exchange(
      lab.url,
      Buffer.from(`GET /appium/sessions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`),
    );
  expect(await ask(bearer)).toContain(ids.ana);
  expect(await ask(bearer + bearer)).toMatch(/\r\n\r\n\{"value":\[\]\}$/);
  expect(await ask(`${bearer}authorization: Bearer x\r\n`)).toMatch(/\r\n\r\n\{"value":\[\]\}$/);
});
