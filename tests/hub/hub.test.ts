import { beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { command, devicesOf, type Hub, isThere, startHub, startNode, until } from './support/hub.ts';

let hub: Hub;
let node: RunningServer;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_LAB_SESSION_DISCOVERY: 'true' } });
  node = await startNode(hub, { prefix: 'far' });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
});

describe('a session on a node', () => {
  it('(contract 8.2) runs, is driven by its owner alone, and ends', async () => {
    const { status, body } = await createSession(hub.url, pairOf(ana));
    expect(status, JSON.stringify(body)).toBe(200);
    const id = body.value.sessionId;
    expect((await command(hub.url, id, '/timeouts', ana.headers)).status).toBe(200);
    const refused = await command(hub.url, id, '/timeouts', bob.headers);
    expect([refused.status, refused.body]).toMatchObject([404, { value: { error: 'invalid session id' } }]);
    expect((await command(node.url, id, '/timeouts', ana.headers)).status).toBe(404);
    const seen = await (await hub.api(`/session/${id}`, { headers: { cookie: ana.cookie } })).json();
    expect(seen).toMatchObject({ status: 'running', owner: { id: ana.userId }, device: { udid: 'far-1' } });
    expect((await command(hub.url, id, '', ana.headers, 'DELETE')).status).toBe(200);
    const over = await (await hub.api(`/session/${id}`, { headers: { cookie: ana.cookie } })).json();
    expect(over).toMatchObject({ status: 'ended', failureCategory: null });
  });
});
