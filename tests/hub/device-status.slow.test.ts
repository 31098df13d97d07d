import { expect, it } from 'vitest';
import { type EventFrame, openEvents } from '../support/event-stream.ts';
import { freePort, freshDataDir } from '../support/lab.ts';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
import { command, devicesOf, isThere, signInToNode, startHub, startNode, until } from './support/hub.ts';

const isStatus = (status: string) => (frame: EventFrame) =>
  frame.type === 'device_changed' && frame.payload.udid === 'far-1' && frame.payload.status === status;

it("a caller who sees a node's phone at the hub gets an event whenever its status changes (contract 2, /events; contract 8.1)", {
  timeout: 120_000,
}, async () => {
  const [dataDir, port, nodePort] = [freshDataDir(), await freePort(), await freePort()];
  const env = { PORT: String(port) };
  let hub = await startHub({ dataDir, env });
  const ana = await makePerson(hub, hub.admin, 'ana@example.test');
  const bob = await makePerson(hub, hub.admin, 'bob@example.test');
  const stream = await openEvents(hub.url, bob.headers);
  let node = await startNode(hub, { prefix: 'far', port: nodePort });
  await stream.until(({ type }) => type === 'device_new');

  const { body } = await createSession(hub.url, pairOf(ana));
  await stream.until(isStatus('busy'));
  await command(hub.url, body.value.sessionId, '', ana.headers, 'DELETE');
  await stream.until(isStatus('free'));
  expect(JSON.stringify(stream.frames)).not.toMatch(new RegExp(`${body.value.sessionId}|${ana.userId}`));

  await node.stop('SIGKILL');
  await stream.until(isStatus('away'));
  await stream.close();

  await hub.stop();
  hub = await startHub({ dataDir, env });
  const later = await openEvents(hub.url, bob.headers);
  node = await startNode(hub, { prefix: 'far', port: nodePort });
  await later.until(isStatus('free'));
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
  await later.close();
});

it('a phone that its node has put out of service gets no session through the hub (contract 17.1)', {
  timeout: 120_000,
}, async () => {
  const hub = await startHub();
  const node = await startNode(hub, { prefix: 'far' });
  const ana = await makePerson(hub, hub.admin, 'ana@example.test');
  const headers = { cookie: await signInToNode(node), 'content-type': 'application/json' };
  const maintain = (method: 'PUT' | 'DELETE', json?: object) =>
    node.api('/device/far-1/maintenance', {
      ...{ method, headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  const reasonAtHub = async () => {
    const found = await devicesOf(hub, hub.admin);
    return (found as { outOfService?: { reason: string } | null }[])[0]?.outOfService?.reason ?? null;
  };
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));

  expect((await maintain('PUT', { reason: 'screen is broken' })).status).toBe(200);
  await until(reasonAtHub, (reason) => reason === 'screen is broken');
  expect((await createSession(hub.url, pairOf(ana))).body.value.message).toBe(
    'every phone that fits is busy',
  );
  expect((await maintain('DELETE')).status).toBe(204);
  await until(reasonAtHub, (reason) => reason === null);
  expect((await createSession(hub.url, pairOf(ana))).status).toBe(200);
});
