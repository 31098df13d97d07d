import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningServer } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { devicesOf, type Hub, isThere, startHub, startNode, until } from './support/hub.ts';

let hub: Hub;
let node: RunningServer;
let ana: Person;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_REQUIRE_COMMAND_AUTH: 'false' } });
  node = await startNode(hub, { prefix: 'far', env: { SVC_LAB_DEVICES: '3' } });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-3'));
});
afterAll(() => node?.stop());

it('sessions on nodes count for the limit of their account at the hub (contract 8)', async () => {
  const headers = { cookie: hub.admin };
  const set = await hub.api(`/users/${ana.userId}/limits`, { method: 'PUT', headers, json: { sessions: 2 } });
  expect(set.status).toBe(200);
  const made = await Promise.all([1, 2, 3].map(() => createSession(hub.url, pairOf(ana))));
  expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 500]);
  const refused = made.find(({ status }) => status === 500);
  expect(refused?.body.value.message).toContain('the account may have 2 sessions at once');
  const [first, second] = made.filter(({ status }) => status === 200).map(({ body }) => body.value.sessionId);
  await hub.api(`/session/${first}`, { method: 'DELETE', headers });
  const next = await createSession(hub.url, pairOf(ana));
  expect(next.status).toBe(200);
  for (const id of [second, next.body.value.sessionId])
    await hub.api(`/session/${id}`, { method: 'DELETE', headers });
});
