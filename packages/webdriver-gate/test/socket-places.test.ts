import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Authenticator, PresentedCredentials } from '@svc/auth-core';
import { afterEach, describe, expect, it } from 'vitest';
import type { Upstream } from '../src/forward.ts';
import { ANA, COMMAND_HEADERS, checkingGate } from '../src/testing/index.ts';

const PER_SESSION = 32;
const PER_ACCOUNT = 128;
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';

const servers: Server[] = [];
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) server.closeAllConnections();
});

type Way = 'upgrade' | 'request';

const HEAD = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';

/** Authenticates every token as an override admin whose account id is the token. */
const admit = async ({ headers }: Pick<PresentedCredentials, 'headers'>) => {
  const [, id = ''] = String(headers.authorization).split(' ');
  return { ...ANA, account: { ...ANA.account, id, role: 'Super admin' } };
};

const admitting = (authenticateCommand: unknown) =>
  ({
    authenticateCommand,
    commandHeaders: COMMAND_HEADERS,
    holds: () => true,
    stillGood: () => true,
  }) as unknown as Authenticator;

/** Starts a gate in front of a server that responds to each upgrade with `answers.next`. */
async function start(way: Way, options: Parameters<typeof checkingGate>[1] = {}) {
  const answers = { next: SWITCHED };
  const open = (socket: Duplex) => {
    socket.on('error', () => socket.destroy()).on('end', () => socket.end());
    socket.resume().write(answers.next);
  };
  const take: Upstream = {
    upgrade: (_req, socket) => open(socket),
    request: (req, res) => {
      if (answers.next === NOT_FOUND) res.writeHead(404).end();
      else open(req.socket);
    },
  };
  const gate = checkingGate(admit, { upstream: take, authenticator: admitting(admit), ...options });
  const server = createServer(gate.request);
  if (way === 'upgrade') server.on('upgrade', gate.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const dial = () => {
    const client = connect({ port, host: '127.0.0.1' });
    clients.push(client);
    return client.on('error', () => undefined);
  };
  const upgrade = async (target: string, { client = dial(), as = 'ana' } = {}) => {
    client.write(`GET ${target} HTTP/1.1\r\n${HEAD}Authorization: Bearer ${as}\r\n\r\n`);
    const [data] = await once(client, 'data');
    return { client, text: String(data) };
  };
  const statusOf = async (target: string, as = 'ana') =>
    Number((await upgrade(target, { as })).text.split(' ')[1]);
  const fill = (count: number, target: (index: number) => string) =>
    Promise.all(Array.from({ length: count }, (_, index) => statusOf(target(index))));
  return { server, answers, dial, upgrade, statusOf, fill };
}

/** @returns the number of responses with each status */
function counted(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe.each(['upgrade', 'request'] as const)('sockets that Node delivers as `%s`', (way) => {
  it('sockets of one session are at most 32, of any kind, and the next is a bare 429 (contract 5)', async () => {
    const { fill, upgrade, statusOf } = await start(way);
    const kinds = ['/bidi/s1', '/ws/session/s1/appium/device/logcat', '/ws/session/s1/appium/device/syslog'];
    const statuses = await fill(PER_SESSION + 8, (index) => kinds[index % kinds.length] as string);
    expect(counted(statuses)).toEqual({ 101: PER_SESSION, 429: 8 });
    const { client, text } = await upgrade('/bidi/s1');
    expect(text).toMatch(
      /^HTTP\/1\.1 429 Too Many Requests\r\n(?:(?:Connection: close|Content-Length: 0|Date:[^\r]*)\r\n)+\r\n$/,
    );
    if (!client.closed) await once(client, 'close');
    expect(await statusOf('/bidi/s2')).toBe(101);
  });

  it('sockets of one account are at most 128, those of drivers included, and other accounts have their own (contract 5)', async () => {
    const { fill, statusOf } = await start(way);
    const statuses = await fill(PER_ACCOUNT, (index) =>
      index % 2 === 0 ? '/drivers/own' : `/bidi/s${Math.floor(index / 16)}`,
    );
    expect(counted(statuses)).toEqual({ 101: PER_ACCOUNT });
    expect(await statusOf('/drivers/own')).toBe(429);
    expect(await statusOf('/bidi/fresh')).toBe(429);
    expect(await statusOf('/drivers/own', 'bob')).toBe(101);
    expect(await statusOf('/bidi/fresh', 'bob')).toBe(101);
  });

  it('sockets give their place back once, when they close (contract 5)', async () => {
    const { fill, statusOf } = await start(way);
    await fill(PER_SESSION - 1, () => '/bidi/s1');
    for (const close of ['resetAndDestroy', 'destroy', 'end', 'resetAndDestroy'] as const) {
      await expect.poll(() => statusOf('/bidi/s1')).toBe(101);
      expect(await statusOf('/bidi/s1')).toBe(429);
      clients.at(-2)?.[close]();
    }
    await expect.poll(() => statusOf('/bidi/s1')).toBe(101);
    expect(await statusOf('/bidi/s1')).toBe(429);
  });

  it('sockets are counted of a session while commands are not checked (contract 5)', async () => {
    const { fill, statusOf } = await start(way, { requireCommandAuth: false });
    expect(counted(await fill(PER_SESSION + 4, () => '/bidi/s1'))).toEqual({ 101: PER_SESSION, 429: 4 });
    expect(counted(await fill(PER_SESSION + 4, () => '/ws/session/S2/x'))).toEqual({
      101: PER_SESSION,
      429: 4,
    });
    expect(await statusOf('/bidi/s3')).toBe(101);
    // Only sockets of a session are limited, because the account is not known without a check.
    const others = await fill(PER_ACCOUNT, (index) => `/bidi/other-${index}`);
    expect(counted(others)).toEqual({ 101: PER_ACCOUNT });
  });
});

it.each(['/bidi/s1', '/drivers/own'])(
  'an upgrade that is answered as a request keeps no place: %s (contract 5)',
  async (target) => {
    const { answers, upgrade, statusOf } = await start('request');
    answers.next = NOT_FOUND;
    let { client, text } = await upgrade(target);
    for (let count = 0; count < PER_ACCOUNT + PER_SESSION; count++) {
      expect(text).toMatch(/^HTTP\/1\.1 404 /);
      // Send the next upgrade on the same connection, which stays open.
      ({ client, text } = await upgrade(target, { client }));
    }
    answers.next = SWITCHED;
    expect(await statusOf(target)).toBe(101);
  },
);

it('an upgrade behind a command, on a connection that closes during its check, keeps no place (contract 5)', async () => {
  const settle: (() => void)[] = [];
  const waiting = (presented: Pick<PresentedCredentials, 'headers'>) =>
    new Promise((done) => settle.push(() => done(admit(presented))));
  const { server, dial, fill } = await start('request', { authenticator: admitting(waiting) });
  const accepted = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
  });
  const credential = (index: number) => `Authorization: Bearer ana${index}\r\n\r\n`;
  const asking = Array.from({ length: PER_SESSION }, (_, index) => {
    const client = dial();
    client.write(`GET /session/s1/url HTTP/1.1\r\nHost: x\r\n${credential(index)}`);
    client.write(`GET /bidi/s1 HTTP/1.1\r\n${HEAD}${credential(index)}`);
    return client;
  });
  await expect.poll(() => settle.length).toBe(2 * PER_SESSION);
  for (const client of asking) client.resetAndDestroy();
  await expect.poll(() => accepted.size).toBe(0);
  for (const each of settle.splice(0)) each();
  await new Promise(setImmediate);
  const later = fill(PER_SESSION, () => '/bidi/s1');
  await expect.poll(() => settle.length).toBe(PER_SESSION);
  for (const each of settle) each();
  expect(counted(await later)).toEqual({ 101: PER_SESSION });
});
