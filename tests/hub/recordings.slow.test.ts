import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { picturesIn } from '../conformance/support/recorded-lab.ts';
import type { RunningServer } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import {
  command,
  devicesOf,
  type Hub,
  isThere,
  signInToNode,
  startHub,
  startNode,
  until,
} from './support/hub.ts';

let hub: Hub;
let node: RunningServer;
let ana: Person;

beforeAll(async () => {
  hub = await startHub();
  node = await startNode(hub, { prefix: 'far' });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
});
afterAll(async () => {
  await node?.stop();
  await hub?.stop();
});

async function createFar(options: Record<string, unknown> = {}) {
  const { status, body } = await createSession(
    hub.url,
    { ...pairOf(ana), ...options },
    { capabilities: { 'appium:udid': 'far-1' } },
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body.value;
}

const execute = async (id: string, script: string, fields: object = {}) =>
  (await command(hub.url, id, '/execute/sync', ana.headers, 'POST', { script, args: [fields] })).body.value;
const ask = (path: string, method = 'GET') => hub.api(path, { method, headers: ana.headers });
// biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
const recording = async (id: string): Promise<any> => (await ask(`/session/${id}/recording`)).json();

describe('a session on a node', () => {
  it('a session on a node is recorded by the node, and its data is asked of it (contract 11)', async () => {
    const { sessionId: id, capabilities } = await createFar({ record: 'all' });
    expect(JSON.stringify(capabilities)).not.toContain('record');
    await until(
      () => recording(id),
      ({ state, pictures, deviceLogRows }) => state === 'recording' && pictures > 1 && deviceLogRows > 0,
    );
    expect(await execute(id, 'svc: captureEvidence', { label: 'cart' })).toEqual({ recorded: true });
    expect(await execute(id, 'svc: pauseRecording')).toEqual({ recorded: true });
    expect(await execute(id, 'svc: resumeRecording')).toEqual({ recorded: true });
    expect(await execute(id, 'svc: setSessionStatus', { status: 'failed', reason: 'why' })).toEqual({
      recorded: true,
    });
    expect((await ask(`/session/${id}/recording`, 'DELETE')).status).toBe(409);
    await command(hub.url, id, '', ana.headers, 'DELETE');
    const complete = await until(
      () => recording(id),
      ({ state }) => state === 'complete',
    );
    expect(complete.marks.map(({ kind }: { kind: string }) => kind)).toEqual([
      'evidence',
      'paused',
      'resumed',
      'failure',
    ]);
    const chunk = await ask(`/session/${id}/recording/chunks/0`);
    const pictures = picturesIn(Buffer.from(await chunk.arrayBuffer()));
    expect(pictures).toHaveLength(complete.pictures);
    const at = complete.marks[0].at;
    const picture = await ask(`/session/${id}/recording/picture?at=${at}`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const log = (await (await ask(`/session/${id}/device_log?after=0&limit=5`)).json()) as {
      items: unknown[];
    };
    expect(log.items.length).toBeGreaterThan(0);
    const report = await (await ask(`/session/${id}/report`)).text();
    expect(report).toContain('data:image/jpeg;base64,');
    expect(report).toContain('svc: captureEvidence');
    expect((await ask(`/session/${id}/recording/chunks/99`)).status).toBe(404);
    expect((await ask(`/session/${id}/recording`, 'DELETE')).status).toBe(204);
    expect((await recording(id)).state).toBe('removed');
  });

  it('a session on a node is no business of the accounts of the node (contract 11, contract 8.3)', async () => {
    const { sessionId: id } = await createFar({ record: 'all' });
    const cookie = await signInToNode(node);
    for (const path of ['/recording', '/report', '/device_log?after=0&limit=1']) {
      const answer = await node.api(`/session/${id}${path}`, { headers: { cookie } });
      expect([answer.status, await answer.json()]).toMatchObject([403, { error: 'managed_by_hub' }]);
    }
    await command(hub.url, id, '', ana.headers, 'DELETE');
  });

  it('a session on a node is not recorded unless somebody asks for it (contract 11)', async () => {
    const { sessionId: id } = await createFar();
    expect((await recording(id)).state).toBe('none');
    expect(await execute(id, 'svc: captureEvidence')).toMatchObject({ recorded: false });
    await command(hub.url, id, '', ana.headers, 'DELETE');
  });
});
