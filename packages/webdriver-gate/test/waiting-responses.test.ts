import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { closeWithConnection } from '../src/waiting-responses.ts';

it('the responses of pipelined requests close once each when their connection closes (contract 13)', async () => {
  const responses: ServerResponse[] = [];
  const closed: number[] = [];
  const server = createServer((req, res) => {
    closeWithConnection(req, res);
    const index = responses.push(res) - 1;
    res.on('close', () => closed.push(index));
    if (index === 0) res.end('done');
    if (index === 4) req.socket.emit('all sent');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.resume().on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5));
  const [socket] = await accepted;
  await once(socket, 'all sent');
  // The first was answered, the second has the connection, and the third was ended behind it.
  responses[2]?.end('behind');
  client.resetAndDestroy();
  await new Promise((done) => socket.once('close', done));
  await new Promise(setImmediate);
  expect(closed.toSorted()).toEqual([0, 1, 2, 3, 4]);
  expect(responses.slice(1).every((each) => each.destroyed)).toBe(true);
  server.close();
});
