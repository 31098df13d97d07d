import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { SvcClient } from '@svc/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { request } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { command, type Hub, startHub, until } from './support/hub.ts';
import { json, type StandInNode, startStandInNode } from './support/stand-in-node.ts';

/** What a malicious node can achieve. It is trusted with its own phones only. */

let hub: Hub;
let node: StandInNode;
let ana: Person;

beforeAll(async () => {
  hub = await startHub();
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  node = await startStandInNode(hub, { udids: ['far-1', 'far-2'] });
});
afterEach(() => {
  node.onCreate(undefined);
  node.onCommand(undefined);
});
afterAll(() => node?.close());

const create = (headers: Record<string, string> = {}) => createSession(hub.url, pairOf(ana), { headers });
const end = (id: string) => command(hub.url, id, '', ana.headers, 'DELETE');

describe('an answer of a node that lies (contract 8.2)', () => {
  it('an answer of a node that lies sends no client elsewhere, with its credentials (contract 8.2)', async () => {
    const { sessionId } = (await create()).body.value;
    const evil = `${node.url}/evil`;
    for (const status of [301, 302, 307, 308]) {
      node.onCommand(({ res }) => void res.writeHead(status, { location: evil }).end());
      const answer = await request(`${hub.url}/session/${sessionId}/url`, { headers: ana.headers });
      expect([status, answer.status]).toEqual([status, 503]);
    }
    expect(node.received.some(({ url }) => url === '/evil')).toBe(false);
    node.onCommand(undefined);
    await end(sessionId);
  });

  it("an answer of a node that lies sets no cookie and speaks for nobody in the hub's name, in a response or an upgrade (contract 8.2)", async () => {
    const { sessionId } = (await create()).body.value;
    const claims = {
      'set-cookie': 'svc_dashboard_session=x',
      'clear-site-data': '"*"',
      refresh: '0; url=//evil',
      'x-svc-user': 'root',
      'x-svc-role': 'Super admin',
    };
    node.onCommand(({ res }) => {
      res.writeHead(200, { ...claims, 'x-own': '1' });
      res.end('{"value":null}');
    });
    const { headers } = await request(`${hub.url}/session/${sessionId}/url`, { headers: ana.headers });
    expect(headers.get('x-own')).toBe('1');
    for (const name of Object.keys(claims)) expect([name, headers.get(name)]).toEqual([name, null]);

    const { hostname, port, host } = new URL(hub.url);
    const socket = connect(Number(port), hostname);
    const credentials = Object.entries(ana.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `GET /bidi/${sessionId} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${credentials.join('')}\r\n`,
    );
    const upgrade = await until(
      async () => node.upgrades.at(-1),
      (found) => found !== undefined,
    );
    upgrade?.socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSet-Cookie: svc_dashboard_session=x\r\n\r\n',
    );
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
    expect(head.toString()).not.toMatch(/set-cookie/i);
    socket.destroy();
    node.onCommand(undefined);
    await end(sessionId);
  });

  it('an answer of a node that lies is a short error of a kind that WebDriver has (contract 8.2)', async () => {
    node.onCreate(({ res }) => {
      json(res, 500, { value: { error: '<script>', message: 'x'.repeat(1_000_000), stacktrace: 'y' } });
    });
    const { status, body } = await create();
    expect([status, body.value.error]).toEqual([500, 'session not created']);
    expect(JSON.stringify(body).length).toBeLessThan(10_000);
  });
});

describe('a report of a node that lies (contract 8.1)', () => {
  it('a report of a node that lies ends no session of others, and makes the hub send only a few requests about sessions of nobody (contract 8.1)', async () => {
    const { sessionId: mine } = (await create()).body.value;
    const other = await startStandInNode(hub, { udids: ['other-1'] });
    const waiting: (() => void)[] = [];
    other.onCommand(({ res }) => void waiting.push(() => json(res, 200, { value: null })));
    const client = new SvcClient({ url: hub.url, credential: hub.nodeKey });
    const invented = Array.from({ length: 500 }, () => ({ id: randomUUID(), udid: 'other-1' }));
    const report = (sequence: number) =>
      client.call('registerNode', {
        body: {
          url: other.url,
          version: 'test',
          devices: [{ udid: 'other-1', platform: 'Fake' }],
          sessions: {
            boot: 'lies',
            sequence,
            running: [...invented, { id: mine, udid: 'far-1' }],
            ended: [{ id: mine, category: 'Timeout', reason: 'lies' }],
          },
        },
      });
    await report(0);
    await report(1);
    await until(
      async () => waiting.length,
      (count) => count > 0,
    );
    expect(waiting.length).toBeLessThanOrEqual(16);
    expect(other.received.filter(({ url }) => url.includes(mine))).toEqual([]);
    const { status } = await command(hub.url, mine, '/url', ana.headers);
    expect(status).toBe(200);
    for (const answer of waiting) answer();
    other.close();
    await end(mine);
  });
});

describe('a create that is sent again (contract 7, X-Idempotency-Key)', () => {
  it('a create repeated by its caller is one session on one node, and by another caller it is another (contract 7, X-Idempotency-Key)', async () => {
    const bob = await makePerson(hub, hub.admin, 'bob@example.test');
    const key = { 'x-idempotency-key': 'the same' };
    const answers = await Promise.all([create(key), create(key), create(key)]);
    const ids = new Set(answers.map(({ body }) => body.value.sessionId));
    expect([answers.map(({ status }) => status), ids.size]).toEqual([[200, 200, 200], 1]);
    const his = await createSession(hub.url, pairOf(bob), { headers: key });
    expect(ids.has(his.body.value.sessionId)).toBe(false);
    await command(hub.url, his.body.value.sessionId, '', bob.headers, 'DELETE');
    await end([...ids][0] as string);
    expect(node.received.every(({ headers }) => headers['x-idempotency-key'] === undefined)).toBe(true);
  });
});
