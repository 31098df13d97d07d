import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePerson, type Person, pairOf } from '../support/sessions.ts';
import { devicesOf, type Hub, startHub, until } from './support/hub.ts';
import { json, type Received, type StandInNode, startStandInNode } from './support/stand-in-node.ts';

let hub: Hub;
let node: StandInNode;
let ana: Person;

beforeAll(async () => {
  hub = await startHub();
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  node = await startStandInNode(hub, { udids: ['far-1'] });
});
afterAll(async () => {
  node?.close();
  await hub?.stop();
});

it.each([
  ['without an idempotency key', {}],
  ['with one', { 'x-idempotency-key': 'once' }],
])(
  'a create at a hub %s whose client disconnects ends its session on the node (contract 14.7, 8.2)',
  async (_how, headers) => {
    const creating = new Promise<Received>((received) => {
      node.onCreate(received);
    });
    const client = httpRequest(`${hub.url}/session`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    });
    client.on('error', () => undefined);
    const capabilities = { alwaysMatch: { platformName: 'Fake', 'svc:options': pairOf(ana) } };
    client.end(JSON.stringify({ capabilities }));
    const { res } = await creating;
    client.destroy();
    // The hub answers this only after it has noticed the disconnection, which its socket delivered before.
    expect((await hub.api('/health')).status).toBe(200);
    const sessionId = `made-${Object.keys(headers).length}`;
    json(res, 200, { value: { sessionId, capabilities: { platformName: 'Fake' } } });
    const ends = await until(
      async () => node.received.filter(({ method, url }) => method === 'DELETE' && url.endsWith(sessionId)),
      ({ length }) => length > 0,
    );
    expect(ends).toHaveLength(1);
    const devices = await until(
      () => devicesOf(hub, hub.admin),
      (all) => all[0]?.status === 'free',
    );
    expect(devices).toMatchObject([{ udid: 'far-1', status: 'free' }]);
  },
);
