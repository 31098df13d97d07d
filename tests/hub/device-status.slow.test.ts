import { expect, it } from 'vitest';
import { type EventFrame, openEvents } from '../support/event-stream.ts';
import { freePort, freshDataDir } from '../support/lab.ts';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
import { command, devicesOf, isThere, startHub, startNode, until } from './support/hub.ts';

const isStatus = (status: string) => (frame: EventFrame) =>
  frame.type === 'device_changed' && frame.payload.udid === 'far-1' && frame.payload.status === status;

it("who sees a node's phone at the hub is told whenever its status changes (contract 2, /events; contract 8.1)", {
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
