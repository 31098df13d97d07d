import { once } from 'node:events';
import { connect } from 'node:net';
import { Refusal } from '@svc/auth-core';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { isUpgrade, Upgrades } from '../src/http/upgrades.ts';
import { sendError } from '../src/plugins/errors.ts';

let app: FastifyInstance;
afterEach(() => app.close());

/** Starts a server with a WebSocket route that sends a greeting, and an ordinary route. */
async function start(): Promise<number> {
  app = Fastify();
  const upgrades = new Upgrades();
  upgrades.serve(app);
  upgrades.add('/rooms/:id');
  app.setErrorHandler((error, _request, reply) => sendError(reply, (error as Refusal).code));
  app.get('/rooms/:id', async (request, reply) => {
    if (!isUpgrade(request.raw)) return 'plain';
    if (request.url.endsWith('closed')) throw new Refusal('invalid ticket');
    reply.hijack();
    upgrades.accept(request.raw, reply.raw, (socket) => socket.send('hello'));
  });
  app.get('/plain', async () => 'plain');
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return Number(port);
}

async function raw(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${head}\r\nHost: x\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

const WEB_SOCKET =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

it('an upgrade of a socket route is routed like a request and then accepted (contract 2)', async () => {
  const port = await start();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rooms/7`);
  const [message] = await once(socket, 'message');
  expect(String(message)).toBe('hello');
  socket.close();
  await once(socket, 'close');
});

it('a refused upgrade gets a bare status, and the connection is closed (contract 2)', async () => {
  const port = await start();
  const answer = await raw(port, `GET /rooms/closed HTTP/1.1\r\n${WEB_SOCKET}`);
  expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
  expect(answer).toMatch(/content-length: 0\r\n/i);
  expect(answer).toMatch(/\r\n\r\n$/);
});

it('an upgrade of anything else is unknown', async () => {
  const port = await start();
  for (const path of ['/plain', '/rooms/7/8', '/rooms/']) {
    expect(await raw(port, `GET ${path} HTTP/1.1\r\n${WEB_SOCKET}`)).toMatch(/^HTTP\/1\.1 404 /);
  }
});

it('an offer of another protocol is not taken up, and the request is answered', async () => {
  const port = await start();
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__';
  expect(await raw(port, `GET /plain HTTP/1.1\r\n${offer}`)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*plain$/);
  expect(await raw(port, `GET /rooms/7 HTTP/1.1\r\n${offer}`)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*plain$/);
  expect(await raw(port, `POST /plain HTTP/1.1\r\n${offer}\r\nContent-Length: 4`)).toMatch(
    /^HTTP\/1\.1 400 /,
  );
});

it('open sockets are closed when the server stops, also of clients that do not answer (contract 9)', async () => {
  const port = await start();
  const polite = new WebSocket(`ws://127.0.0.1:${port}/rooms/1`);
  await once(polite, 'open');
  const rude = connect(port, '127.0.0.1');
  rude.write(`GET /rooms/2 HTTP/1.1\r\nHost: x\r\n${WEB_SOCKET}\r\n\r\n`);
  await once(rude, 'data');
  const closed = Promise.all([once(polite, 'close'), once(rude, 'close')]);
  await app.close();
  const [[code]] = await closed;
  expect(code).toBe(1001);
});

it('a client that floods the socket with frames is closed', async () => {
  const port = await start();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rooms/7`);
  await once(socket, 'open');
  for (let count = 0; count <= 600; count++) socket.send('x');
  const [code] = await once(socket, 'close');
  expect(code).toBe(1008);
  const pinging = new WebSocket(`ws://127.0.0.1:${port}/rooms/7`);
  await once(pinging, 'open');
  // A pong without a preceding ping must not allow more frames.
  for (let count = 0; count <= 300; count++) {
    pinging.send('x');
    pinging.pong();
  }
  expect((await once(pinging, 'close'))[0]).toBe(1008);
  const large = new WebSocket(`ws://127.0.0.1:${port}/rooms/7`);
  await once(large, 'open');
  large.send('x'.repeat(4097));
  expect((await once(large, 'close'))[0]).toBe(1009);
});
