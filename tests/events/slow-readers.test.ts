import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';
import { eventsTicket, openEvents } from '../support/event-stream.ts';
import { signIn } from '../support/lab.ts';

let running: RunningApp;
let url: string;
let as: { cookie: string };

beforeAll(async () => {
  running = await openApp();
  url = await running.app.listen({ port: 0, host: '127.0.0.1' });
  as = { cookie: await signIn(url) };
});
afterAll(() => running.close());

const publish = (text: string) =>
  running.services.modules.lab.offers.lab.events.publish({
    type: 'recording_stopped',
    payload: { id: 's1', reason: text },
    audience: { kind: 'session', ownerId: null },
  });
const turn = () => new Promise((done) => setImmediate(done));

it('a connection that is not read is closed, and the others get everything (specification 6)', async () => {
  const quick = await openEvents(url, as);
  const slow = await openEvents(url, as);
  slow.socket.pause();
  // More bytes than the kernel buffers of both ends can store.
  const text = 'x'.repeat(4_000);
  for (let count = 0; count < 8_000; count++) {
    publish(text);
    if (count % 20 === 0) await turn();
  }
  publish('last');
  await quick.until(({ payload }) => payload.reason === 'last');
  expect(quick.frames).toHaveLength(8_001);
  slow.socket.resume();
  // 1013 if the close frame was read in time, 1006 if the connection was cut.
  expect([1006, 1013]).toContain(await slow.closed);
  expect(slow.frames.length).toBeLessThan(8_000);
  await quick.close();
});

it('a client that floods with pings is closed (specification 6)', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const ticket = await eventsTicket(url, as);
  socket.write(
    `GET /svc/api/events?ticket=${ticket} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  expect(String(await once(socket, 'data'))).toContain('101 Switching');
  // Masked with zeros: 125 bytes, which are returned as a pong.
  const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
  socket.on('error', () => undefined);
  socket.resume();
  const closed = once(socket, 'close');
  for (let count = 0; count < 1_000; count++) socket.write(ping);
  await closed;
});
