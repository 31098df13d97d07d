import { connect } from 'node:net';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { request } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';
import { command, devicesOf, type Hub, startHub, until } from './support/hub.ts';
import { json, type Received, type StandInNode, startStandInNode } from './support/stand-in-node.ts';

/** Tests a hub from the side of its nodes: everything that it sends to them, and how it handles any response. */

let hub: Hub;
let node: StandInNode;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_MAX_CONNECTIONS_PER_ADDRESS: '0' } });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  node = await startStandInNode(hub, { udids: ['far-1', 'far-2'], basePath: '/far' });
});
afterEach(() => {
  node.onCreate(undefined);
  node.onCommand(undefined);
});
afterAll(() => node?.close());

const created = async (options: Parameters<typeof createSession>[2] = {}, person = ana) => {
  const { status, body } = await createSession(hub.url, pairOf(person), options);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.value;
};
const end = (id: string, person = ana) => command(hub.url, id, '', person.headers, 'DELETE');
const last = () => node.received.at(-1) as Received;
/** @returns everything of the request, as received */
const bytesOf = ({ method, url, rawHeaders, body }: Received) =>
  `${method} ${url}\r\n${rawHeaders.join('\r\n')}\r\n${body.toString('latin1')}`;
const statusesOf = async () =>
  Object.fromEntries((await devicesOf(hub, hub.admin)).map(({ udid, status }) => [udid, status]));

describe('a create that a hub forwards', () => {
  it('a create that a hub forwards carries no credential, wherever the client has put it (contract 8.2, 6.2)', async () => {
    const { sessionToken = '' } = (await (
      await hub.api('/auth/token', { method: 'POST', headers: ana.headers, json: { audience: 'svc-mcp' } })
    ).json()) as { sessionToken?: string };
    const secret = { ...pairOf(ana), sessionToken, leaseToken: `svcl_${'l'.repeat(49)}`, leaseId: 'x' };
    const answer = await request(`${hub.url}/session`, {
      method: 'POST',
      headers: {
        ...ana.headers,
        authorization: `Bearer ${sessionToken}`,
        cookie: ana.cookie,
        'x-forwarded-for': '10.0.0.1',
        'x-svc-hub-token': 'made up',
        'x-request-id': 'my-create',
      },
      json: {
        capabilities: {
          alwaysMatch: { platformName: 'Fake', 'svc:options': { ...secret, kept: 1 }, 'lab:options': secret },
          firstMatch: [{}],
        },
        desiredCapabilities: { 'svc:options': secret },
        requiredCapabilities: { 'lab:options': secret },
      },
    });
    expect(answer.status).toBe(200);
    const { value } = (await answer.json()) as { value: { sessionId: string } };
    const sent = last();
    const bytes = bytesOf(sent);
    const cookie = ana.cookie.split('=')[1] as string;
    for (const each of [ana.token, ana.accessKey, cookie, sessionToken, secret.leaseToken])
      expect(bytes).not.toContain(each);
    for (const name of [
      'authorization',
      'cookie',
      'x-svc-token',
      'x-svc-access-key',
      'x-forwarded-for',
      'origin',
    ])
      expect(sent.headers[name]).toBeUndefined();
    expect([sent.method, sent.url, sent.headers['x-request-id']]).toEqual([
      'POST',
      '/far/session',
      'my-create',
    ]);
    await end(value.sessionId);
  });

  it('a create that a hub forwards names phone and owner in a token of 120 s, another one each time (contract 8.2)', async () => {
    const seen = new Set<string>();
    for (const person of [ana, bob]) {
      const { sessionId } = await created({ capabilities: { 'appium:udid': 'far-2' } }, person);
      const token = String(last().headers['x-svc-hub-token']);
      const { aud, udid, sub, iat = 0, exp = 0, jti = '' } = decodeJwt(token) as Record<string, never>;
      expect([aud, udid, sub, exp - iat]).toEqual(['svc-node-create', 'far-2', person.userId, 120]);
      seen.add(jti);
      await end(sessionId, person);
    }
    expect(seen.size).toBe(2);
  });

  it('a create that a hub forwards is forwarded once its client is known, and not before (contract 8.2)', async () => {
    const before = node.received.length;
    const strict = { ...pairOf(ana), token: bob.token };
    const hidden = await createSession(hub.url, strict, { capabilities: { 'appium:udid': 'unknown' } });
    expect(hidden.status).toBe(500);
    expect(node.received.length).toBe(before);
  });

  it.each([
    ['no JSON', (each: Received) => each.res.end('<html>')],
    ['no session', (each: Received) => json(each.res, 200, { value: {} })],
    ['an id that is a path', (each: Received) => json(each.res, 200, sessionOf('../../svc/api'))],
    ['an id without end', (each: Received) => json(each.res, 200, sessionOf('x'.repeat(129)))],
    ['more than it may', (each: Received) => json(each.res, 200, { value: 'x'.repeat(5_000_000) })],
    ['a redirect', (each: Received) => each.res.writeHead(302, { location: 'http://127.0.0.1:9' }).end()],
    [
      'half an answer',
      (each: Received) => {
        each.res.writeHead(200, { 'content-length': '100' });
        each.res.write('{"value"', () => each.res.destroy());
      },
    ],
    ['nothing', (each: Received) => each.req.socket.resetAndDestroy()],
  ])(
    'a create that a hub forwards fails when the node answers with %s, once, and the phone is free (contract 8.4)',
    async (_name, answer) => {
      node.onCreate(answer);
      const before = node.received.length;
      const { status, body } = await createSession(hub.url, pairOf(ana), {
        capabilities: { 'appium:udid': 'far-1' },
      });
      expect([500, 503]).toContain(status);
      expect(body.value.error).toBe('session not created');
      expect(node.received.length).toBe(before + 1);
      expect(await statusesOf()).toMatchObject({ 'far-1': 'free', 'far-2': 'free' });
    },
  );

  it("a create that a hub forwards passes the node's refusal on, and an id in use is not taken over (contract 8.2)", async () => {
    node.onCreate(({ res }) => json(res, 400, errorOf('invalid argument', 'the driver says no')));
    const refused = await createSession(hub.url, pairOf(ana), {});
    expect([refused.status, refused.body.value]).toMatchObject([
      400,
      { error: 'invalid argument', message: 'the driver says no' },
    ]);
    node.onCreate(undefined);
    const { sessionId } = await created();
    node.onCreate(({ res }) => json(res, 200, sessionOf(sessionId)));
    const taken = await createSession(hub.url, pairOf(bob), {});
    expect(taken.body.value.error).toBe('session not created');
    expect((await command(hub.url, sessionId, '/timeouts', bob.headers)).status).toBe(404);
    expect((await command(hub.url, sessionId, '/timeouts', ana.headers)).status).toBe(200);
    node.onCreate(undefined);
    await end(sessionId);
  });

  it('each of 4 phones of 2 nodes is given once to 200 simultaneous creates (contract 8.2)', async () => {
    const other = await startStandInNode(hub, { udids: ['more-1', 'more-2'] });
    try {
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => createSession(hub.url, pairOf(ana), {})),
      );
      const good = answers.filter(({ status }) => status === 200).map(({ body }) => body.value.sessionId);
      expect(good).toHaveLength(4);
      const creates = [...node.received, ...other.received].filter(
        ({ method, body }) => method === 'POST' && body.includes('alwaysMatch'),
      );
      const asked = creates
        .slice(-4)
        .map(({ body }) => udidOf(body))
        .sort();
      expect(asked).toEqual(['far-1', 'far-2', 'more-1', 'more-2']);
      for (const id of good) await end(id);
    } finally {
      other.close();
    }
    const removed = await until(
      () =>
        hub.api(`/nodes/${encodeURIComponent(other.name)}`, {
          method: 'DELETE',
          headers: hub.nodeKey.headers,
        }),
      ({ status }) => status === 204,
    );
    expect(removed.status).toBe(204);
  });
});

describe('a command that a hub forwards', () => {
  it('a command that a hub forwards has the token of its session, and nothing of its sender (contract 8.2)', async () => {
    const { sessionId } = await created();
    const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
    const body = '{"script":"return 1","args":[]}';
    socket.write(
      [
        `POST /session/${sessionId}/execute/async?x=1 HTTP/1.1`,
        'Host: hub.example',
        `x-svc-access-key: ${ana.accessKey}`,
        `x-svc-token: ${ana.token}`,
        `Cookie: ${ana.cookie}`,
        'Proxy-Authorization: Basic eDp5',
        'Connection: keep-alive, X-Mine',
        'X-Mine: for this connection',
        'Keep-Alive: timeout=5',
        'TE: trailers',
        'X-Forwarded-For: 10.0.0.1',
        'X-Svc-Anything: x',
        'Origin: http://hub.example',
        'Referer: http://hub.example/',
        'X-Kept: yes',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    await new Promise((answered) => socket.once('data', answered));
    socket.destroy();
    const sent = last();
    expect([sent.method, sent.url, sent.body.toString()]).toEqual([
      'POST',
      `/far/session/${sessionId}/execute/async?x=1`,
      body,
    ]);
    expect(Object.keys(sent.headers).sort()).toEqual(
      ['connection', 'content-length', 'content-type', 'host', 'x-kept', 'x-svc-hub-token'].sort(),
    );
    expect(sent.headers.host).toBe(node.name);
    const { aud, sid, sub, iat = 0, exp = 0 } = decodeJwt(String(sent.headers['x-svc-hub-token']));
    expect([aud, sid, sub]).toEqual(['svc-node', sessionId, ana.userId]);
    expect(exp - iat).toBeGreaterThanOrEqual(60);
    expect(exp - iat).toBeLessThanOrEqual(300);
    await end(sessionId);
  });

  it('a node receives nothing of a key pair in Authorization: Basic (contract 8.2, 15.1)', async () => {
    const basic = Buffer.from(`${ana.accessKey}:${ana.token}`).toString('base64');
    const headers = { authorization: `Basic ${basic}` };
    const { status, body } = await createSession(hub.url, undefined, { headers });
    expect(status, JSON.stringify(body)).toBe(200);
    const { sessionId } = body.value;
    expect(bytesOf(last())).not.toContain(basic);
    expect(decodeJwt(String(last().headers['x-svc-hub-token'])).sub).toBe(ana.userId);
    expect((await command(hub.url, sessionId, '/timeouts', headers)).status).toBe(200);
    expect(last().headers).not.toHaveProperty('authorization');
    const foreign = {
      authorization: `Basic ${Buffer.from(`${bob.accessKey}:${bob.token}`).toString('base64')}`,
    };
    expect((await command(hub.url, sessionId, '/timeouts', foreign)).status).toBe(404);
    expect((await command(hub.url, sessionId, '', headers, 'DELETE')).status).toBe(200);
  });

  it('a command that a hub forwards is answered with what the node answers: status, headers and bytes (contract 8.2)', async () => {
    const { sessionId } = await created();
    const bytes = Buffer.from(Array.from({ length: 1024 }, (_, at) => at % 256));
    node.onCommand(({ res }) => {
      res.writeHead(418, 'Short and stout', {
        'content-type': 'application/x-anything',
        'content-length': bytes.length,
        'x-of-node': ['one', 'two'],
      });
      res.end(bytes);
    });
    const answer = await request(`${hub.url}/session/${sessionId}/anything`, { headers: ana.headers });
    expect([answer.status, answer.statusText, answer.headers.get('x-of-node')]).toEqual([
      418,
      'Short and stout',
      'one, two',
    ]);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    node.onCommand(undefined);
    await end(sessionId);
  });

  it('a command of an unauthenticated client or another owner never reaches the node, in any spelling (contract 7, 8.2)', async () => {
    const { sessionId } = await created();
    const before = node.received.length;
    const paths = [
      `/session/${sessionId}/timeouts`,
      `/SESSION/${sessionId}/timeouts`,
      `/session/${sessionId.replace('-', '%2D')}/timeouts`,
      `/session/${sessionId}/`,
      `/session/${sessionId}?x=1`,
    ];
    for (const path of paths) {
      for (const headers of [{}, bob.headers, { cookie: ana.cookie }, { 'x-svc-hub-token': 'x' }]) {
        for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
          const { status } = await request(`${hub.url}${path}`, {
            method,
            headers: headers as Record<string, string>,
          });
          expect([path, method, status]).toEqual([path, method, 404]);
        }
      }
    }
    const used = String(node.received.at(-1)?.headers['x-svc-hub-token']);
    const replayed = await command(hub.url, sessionId, '/timeouts', { 'x-svc-hub-token': used });
    expect(replayed.status).toBe(404);
    expect(node.received.length).toBe(before);
    await end(sessionId);
  });

  it('a command that the node does not answer is a 503 with the name of the node, and is sent once (contract 8.4)', async () => {
    const { sessionId } = await created();
    for (const method of ['GET', 'POST', 'DELETE']) {
      node.onCommand(({ req }) => req.socket.resetAndDestroy());
      const before = node.received.length;
      const { status, body } = await command(hub.url, sessionId, '/timeouts', ana.headers, method);
      expect([status, body]).toMatchObject([
        503,
        { value: { error: 'unknown error', message: expect.stringContaining(node.name) } },
      ]);
      expect(node.received.length).toBe(before + 1);
    }
    node.onCommand(undefined);
    await end(sessionId);
  });

  it('a webSocketUrl leads to the hub, and its upgrade goes on with the token alone (contract 8.2)', async () => {
    const { sessionId, capabilities } = await created({ capabilities: { webSocketUrl: true } });
    expect((capabilities as { webSocketUrl: string }).webSocketUrl).toBe(
      `ws://${new URL(hub.url).host}/bidi/${sessionId}`,
    );
    const opening = upgrade(hub.url, `/bidi/${sessionId}`, { ...ana.headers, cookie: ana.cookie });
    const { req, socket } = await until(
      async () => node.upgrades.at(-1),
      (found) => found !== undefined,
    ).then((found) => found as NonNullable<typeof found>);
    expect(req.url).toBe(`/far/bidi/${sessionId}`);
    expect(decodeJwt(String(req.headers['x-svc-hub-token']))).toMatchObject({
      aud: 'svc-node',
      sid: sessionId,
    });
    const sent = req.rawHeaders.join('\n');
    for (const secret of [ana.token, ana.accessKey, ana.cookie]) expect(sent).not.toContain(secret);
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    expect((await opening).status).toBe(404);
    await end(sessionId);
  });
});

const sessionOf = (sessionId: string) => ({ value: { sessionId, capabilities: {} } });
const errorOf = (error: string, message: string) => ({ value: { error, message, stacktrace: '' } });
const udidOf = (body: Buffer): string =>
  JSON.parse(body.toString('utf8')).capabilities.alwaysMatch['appium:udid'];
