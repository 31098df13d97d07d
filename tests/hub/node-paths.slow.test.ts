import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { command, type Hub, startHub, until } from './support/hub.ts';
import { type StandInNode, startStandInNode } from './support/stand-in-node.ts';

/* Tests what a hub sends to the address of a node and what it forwards from there. An Admin may have registered any
   server at this address. */

let hub: Hub;
let node: StandInNode;
let ana: Person;

beforeAll(async () => {
  hub = await startHub();
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  node = await startStandInNode(hub, { udids: ['far-1'] });
});
afterAll(() => node?.close());

async function created(): Promise<string> {
  const { status, body } = await createSession(hub.url, pairOf(ana));
  expect(status, JSON.stringify(body)).toBe(200);
  return body.value.sessionId;
}

describe('a command for a session on a node', () => {
  it.each([
    ...['/../../secret', '/..', '/./url', '/url/../../../secret', '/%2e%2e/%2E%2e/secret', '/.%2e/secret'],
    ...['/%252e%252e/secret', '/..%2f..%2fsecret', '/%2e%2e%2fsecret', '/..;/secret', '/..%5c..%5csecret'],
    ...['/..\\..\\secret', '/a;/../../secret', '//../../secret'],
  ])(
    'a command with the path %s is refused, and nothing of it reaches the node (contract 8.3)',
    async (rest) => {
      const id = await created();
      const before = node.received.length;
      for (const method of ['GET', 'POST', 'DELETE', 'HEAD']) {
        const answer = await rawRequest(hub.url, `/session/${id}${rest}`, { method, headers: ana.headers });
        expect([method, answer.status]).toEqual([method, 400]);
      }
      expect(node.received.length).toBe(before);
      expect((await command(hub.url, id, '', ana.headers, 'DELETE')).status).toBe(200);
    },
  );

  it('a command with harmless dots in its path arrives unchanged (contract 8.2)', async () => {
    const id = await created();
    for (const rest of ['/element/e/attribute/.hidden', '/cookie/a.b', '/cookie/a%20b?x=../..']) {
      expect((await rawRequest(hub.url, `/session/${id}${rest}`, { headers: ana.headers })).status).toBe(200);
      expect(node.received.at(-1)?.url).toBe(`/session/${id}${rest}`);
    }
    await command(hub.url, id, '', ana.headers, 'DELETE');
  });

  it('a command for a session on a node is answered without what the node allows pages of other origins (contract 8.3)', async () => {
    const id = await created();
    node.onCommand(({ res }) => {
      res.writeHead(200, {
        'content-type': 'application/json',
        'access-control-allow-origin': 'https://evil.test',
        'Access-Control-Allow-Credentials': 'true',
        'access-control-expose-headers': '*',
        'x-kept': 'yes',
      });
      res.end('{"value":null}');
    });
    const answer = await command(hub.url, id, '/timeouts', ana.headers);
    node.onCommand(undefined);
    expect([answer.status, answer.headers.get('x-kept')]).toEqual([200, 'yes']);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    await command(hub.url, id, '', ana.headers, 'DELETE');
  });
});

describe('a socket of a session on a node', () => {
  const opening = (target: string) =>
    new Promise<number>((answered, failed) => {
      const headers = {
        ...ana.headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'c3ZjLWRvY3Rvci1jaGVjaw==',
      };
      const asking = httpRequest(`${hub.url}/`, { path: target, headers, agent: false });
      asking.on('response', (response) => answered(response.resume().statusCode ?? 0));
      asking.on('upgrade', (_response, socket) => {
        socket.destroy();
        answered(101);
      });
      asking.on('error', failed);
      asking.end();
    });

  it.each(['/../../secret', '/%2e%2e/secret', '/%252e%252e/secret', '/..;/secret'])(
    'a socket with the path %s is refused, and nothing of it reaches the node (contract 8.3)',
    async (rest) => {
      const id = await created();
      for (const path of [`/ws/session/${id}/appium${rest}`, `/bidi/${id}${rest}`])
        expect([path, [400, 404].includes(await opening(path))]).toEqual([path, true]);
      expect(node.upgrades).toEqual([]);
      await command(hub.url, id, '', ana.headers, 'DELETE');
    },
  );
});

it('a node from before its address was refused gets no command any more, and the session is not told as gone (contract 8.3)', async () => {
  const lab = await startHub();
  const before = await startStandInNode(lab, { udids: ['old-1'] });
  const person = await makePerson(lab, lab.admin, 'old@example.test');
  const { body } = await createSession(lab.url, pairOf(person));
  await lab.stop();
  const received = before.received.length;
  const env = { HOST: '0.0.0.0', PORT: new URL(lab.url).port };
  const again = await startHub({ dataDir: lab.dataDir, env });
  const answer = await command(again.url, body.value.sessionId, '/timeouts', person.headers);
  expect([answer.status, answer.body.value]).toMatchObject([503, { error: 'unknown error' }]);
  const said = await until(
    async () => again.output(),
    (output) => output.includes('SVC_NODE_ALLOW'),
  );
  expect(said).toContain('SVC_NODE_ALLOW');
  expect(before.received.length).toBe(received);
  await again.stop();
  const allowed = { ...env, SVC_NODE_ALLOW: '127.0.0.1' };
  const third = await startHub({ dataDir: lab.dataDir, env: allowed });
  expect((await command(third.url, body.value.sessionId, '/timeouts', person.headers)).status).toBe(200);
  before.close();
});
