import { connect } from 'node:net';
import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { makeToken, type RunningServer, request } from '../support/lab.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { until } from '../support/records.ts';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

type Headers = Readonly<Record<string, string>>;

const lines = (headers: Headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.[01] (\d+)/g)].map((match) => Number(match[1]));

async function create(server: RunningServer, options: object, more: object = {}): Promise<string> {
  const answer = await request(`${server.url}/session`, {
    method: 'POST',
    json: { capabilities: { alwaysMatch: { ...FAKE_PHONE, ...more, 'svc:options': options } } },
  });
  return ((await answer.json()) as { value: { sessionId: string } }).value.sessionId;
}

describe('whatever HTTP allows, with the command check on (contract 7)', () => {
  let server: Awaited<ReturnType<typeof startAppium>>;
  let ana: Person;
  let bob: Person;
  let id: string;

  beforeAll(async () => {
    server = await startAppium({ args: ['--allow-cors'], env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } });
    const admin = await superAdmin(server);
    ana = await makePerson(server, admin, 'ana@example.org');
    bob = await makePerson(server, admin, 'bob@example.org');
    id = await create(server, pairOf(ana));
  });
  afterAll(() => server?.stop());

  const get = () => `GET /session/${id}/timeouts`;

  it('HTTP/1.0', async () => {
    const ask = (headers: Headers) =>
      exchange(server.url, Buffer.from(`${get()} HTTP/1.0\r\n${lines(headers)}\r\n`));
    expect(statuses(await ask({}))).toEqual([404]);
    expect(statuses(await ask(bob.headers))).toEqual([404]);
    expect(statuses(await ask(ana.headers))).toEqual([200]);
  });

  it('Expect: 100-continue', async () => {
    const ask = (headers: Headers) =>
      exchange(
        server.url,
        Buffer.from(
          `POST /session/${id}/timeouts HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n` +
            `Content-Type: application/json\r\nContent-Length: 16\r\n${lines(headers)}\r\n{"implicit":1000}`.slice(
              0,
              -1,
            ),
        ),
      );
    expect(statuses(await ask({})).at(-1)).toBe(404);
    expect(statuses(await ask(bob.headers)).at(-1)).toBe(404);
    expect(statuses(await ask(ana.headers))[0]).toBe(100);
  });

  it('one connection, each request with other credentials', async () => {
    const senders: Headers[] = [ana.headers, {}, bob.headers, ana.headers, { 'x-svc-token': ana.token }, {}];
    const all = senders.map(
      (headers, at) =>
        `${get()} HTTP/1.1\r\nHost: x\r\n${at === senders.length - 1 ? 'Connection: close\r\n' : ''}${lines(headers)}\r\n`,
    );
    const wanted = [200, 404, 404, 200, 404, 404];
    expect(statuses(await exchange(server.url, Buffer.from(all.join(''))))).toEqual(wanted);
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    for (const [at, sent] of all.entries()) {
      socket.write(sent);
      const [data] = await new Promise<Buffer[]>((done) => socket.once('data', (...got) => done(got)));
      expect(statuses(String(data))).toEqual([wanted[at]]);
    }
    socket.destroy();
  });

  it.each(['h2c', 'websocket'])('Upgrade: %s on a command', async (protocol) => {
    const headers = { Connection: 'Upgrade, close', Upgrade: protocol };
    const ask = (more: Headers) =>
      rawRequest(server.url, `/session/${id}/timeouts`, { headers: { ...headers, ...more } });
    expect((await ask(bob.headers)).status).not.toBe(200);
    expect((await ask({})).body).not.toContain('implicit');
    if (protocol === 'h2c') expect((await ask(ana.headers)).status).toBe(200);
  });

  it('--allow-cors: OPTIONS is the automation server’s own, a refusal carries the headers too', async () => {
    const options = await rawRequest(server.url, `/session/${id}/timeouts`, { method: 'OPTIONS' });
    expect({ status: options.status, body: options.body }).toEqual({ status: 200, body: 'OK' });
    const refused = await rawRequest(server.url, `/session/${id}/timeouts`);
    const names = refused.headers.map(([name]) => name);
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 404,
      body: UNKNOWN_SESSION_BODY,
    });
    expect(names).toContain('Access-Control-Allow-Origin');
  });

  it.each(['Authorization', 'X-Svc-Token'])('%s sent twice proves nobody', async (name) => {
    const mine = name === 'Authorization' ? await bearer(ana) : ana.headers;
    const value = Object.entries(mine).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
    const twice = `${get()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines(mine)}${name}: ${value}\r\n\r\n`;
    expect(statuses(await exchange(server.url, Buffer.from(twice)))).toEqual([404]);
  });

  const bearer = async (who: Person): Promise<Headers> => {
    const answer = await server.api('/auth/token', {
      method: 'POST',
      headers: { cookie: who.cookie },
      json: {},
    });
    return { authorization: `Bearer ${((await answer.json()) as { token: string }).token}` };
  };

  it('an answer is never replayed to another caller, nor a refusal to its owner', async () => {
    const ask = (headers: Headers) =>
      rawRequest(server.url, `/session/${id}/appium/settings`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Idempotency-Key': 'same', ...headers },
        body: '{"settings":{"x":1}}',
      });
    expect((await ask(bob.headers)).status).toBe(404);
    expect((await ask(ana.headers)).status).toBe(200);
    expect((await ask(bob.headers)).status).toBe(404);
    expect((await ask({})).status).toBe(404);
  });

  it('creates at the same time: each has its own owner, and each end is seen (appium-notes 6)', async () => {
    const root = await makeToken(server.url, await superAdmin(server));
    const idle = { 'appium:newCommandTimeout': 0.2 };
    const [first, second] = await Promise.all([
      create(server, pairOf(ana), idle),
      create(server, pairOf(bob), idle),
    ]);
    const ownerOf = async (session: string) => {
      const answer = await server.api(`/session/${session}`, { headers: root.headers });
      return (await answer.json()) as { owner: { email: string }; status: string; failureCategory: string };
    };
    expect((await ownerOf(first as string)).owner.email).toBe('ana@example.org');
    expect((await ownerOf(second as string)).owner.email).toBe('bob@example.org');
    for (const session of [first, second]) {
      const seen = await until(
        () => ownerOf(session as string),
        ({ status }) => status !== 'running',
      );
      expect(seen).toMatchObject({ status: 'failed', failureCategory: 'Timeout' });
    }
  });
});

describe('with the command check off (contract 7)', () => {
  it('an answer is never replayed to who does not show the same credentials', async () => {
    const server = await startAppium();
    const admin = await superAdmin(server);
    const [ana, bob] = [
      await makePerson(server, admin, 'ana@example.org'),
      await makePerson(server, admin, 'bob@example.org'),
    ];
    const id = await create(server, pairOf(ana));
    const said: string[] = [];
    const ask = async (headers: Headers, x: number) => {
      const answer = await rawRequest(server.url, `/session/${id}/appium/settings`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Idempotency-Key': 'same', ...headers },
        body: JSON.stringify({ settings: { x } }),
      });
      said.push(`${answer.status}`);
    };
    for (const [at, headers] of [ana.headers, bob.headers, {}, {}].entries()) await ask(headers, at);
    expect(said).toEqual(['200', '200', '200', '200']);
    expect(server.output()).not.toContain('Rerouting its response');
    expect(server.output()).not.toContain('idempotency key: same');
    await server.stop();
  });
});
