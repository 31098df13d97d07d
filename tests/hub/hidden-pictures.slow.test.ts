import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningServer } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { devicesOf, type Hub, isThere, signInToNode, startHub, startNode, until } from './support/hub.ts';

const PHONE = 'far-1';

let hub: Hub;
let node: RunningServer;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_PREVIEW: 'own', SVC_SPECTATORS: 'anyone' } });
  node = await startNode(hub, { prefix: 'far' });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  bob = await makePerson(hub, hub.admin, 'bob@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere(PHONE));
});
afterAll(async () => {
  await node?.stop();
  await hub?.stop();
});

/** Asks a server for the picture of the phone in every way. */
async function ways(server: RunningServer, headers: Record<string, string>): Promise<string[]> {
  const status = async (path: string, method = 'GET', json?: object) => {
    const answer = await server.api(`/control/${PHONE}${path}`, { method, headers, json });
    const text = answer.headers.get('content-type')?.includes('json') ? await answer.text() : '';
    if (text === '') await answer.body?.cancel();
    return [answer.status, text === '' ? {} : JSON.parse(text)] as const;
  };
  const ticket = await status('/stream/ticket', 'POST');
  const stream = await status(`/stream?ticket=${ticket[1].ticket}`);
  const sources = await status('/streams');
  const others = [await status('/screenshot'), await status('/watch', 'POST', { for: 'anyone' })];
  return [stream, ...others, sources].map(([code, body]) =>
    `${code} ${body.error ?? body.mjpeg ?? ''}`.trim(),
  );
}

it('the hub hides the picture of a session on a node from everyone but its owner with SVC_PREVIEW=own (contract 2 /control, contract 8.3)', async () => {
  const created = await createSession(hub.url, pairOf(ana), { capabilities: { 'appium:udid': PHONE } });
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  expect(await ways(hub, { cookie: ana.cookie })).toEqual(['200', '200', '201', '200 true']);
  expect(await ways(hub, { cookie: bob.cookie })).toEqual([
    '404 no_such_source',
    '404 no_such_source',
    '409 device_not_yours',
    '200 false',
  ]);
  // The hub decides, so the accounts of the node see nothing there.
  expect((await ways(node, { cookie: await signInToNode(node) })).slice(0, 3)).toEqual([
    '403 managed_by_hub',
    '403 managed_by_hub',
    '403 managed_by_hub',
  ]);
});
