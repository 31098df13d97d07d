import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
import { close, type Upgrade, upgrade } from '../support/web-socket.ts';
import { command, devicesOf, isThere, startHub, startNode, until } from './support/hub.ts';

/* Tests many sockets of one user on a node that allows fewer connections per address than the user opens through the
   hub. */

const LIMIT = 24;
const PER_SESSION = 32;
const AT_ONCE = 8;

const dialed: Socket[] = [];
afterAll(() => {
  for (const socket of dialed) socket.destroy();
});

async function startPair(checked: boolean) {
  const env = { SVC_REQUIRE_COMMAND_AUTH: String(checked) };
  const hub = await startHub({ env });
  const limits = { SVC_LAB_DEVICES: '2', SVC_MAX_CONNECTIONS_PER_ADDRESS: String(LIMIT) };
  const node = await startNode(hub, { env: { ...env, ...limits } });
  await until(() => devicesOf(hub, hub.admin), isThere('node-2'));
  const [ana, bob] = [
    await makePerson(hub, hub.admin, 'ana@example.test'),
    await makePerson(hub, hub.admin, 'bob@example.test'),
  ];
  const created = async (person: typeof ana) => {
    const capabilities = { webSocketUrl: true };
    const { status, body } = await createSession(hub.url, pairOf(person), { capabilities });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.value.sessionId;
  };
  return { hub, node, ana, bob, ids: [await created(ana), await created(bob)] as const };
}

/** Runs a few acts at a time, because a connection counts towards the limit until its token is verified. */
async function inTurns<T>(count: number, act: () => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  while (done.length < count) done.push(...(await Promise.all(Array.from({ length: AT_ONCE }, act))));
  return done;
}

const statusesOf = (upgrades: readonly Upgrade[]) => upgrades.map(({ status }) => status).sort();

describe.each([
  ['are checked', true],
  ['are not checked', false],
])('while commands %s', (_name, checked) => {
  it('one user’s sockets through the hub are capped, and take the node from nobody else (contract 5)', async () => {
    const { hub, ana, bob, ids } = await startPair(checked);
    const [hers, his] = ids;
    const open = () => upgrade(hub.url, `/bidi/${hers}`, ana.headers);
    const upgrades = await inTurns(PER_SESSION + 8, open);
    const expected = [...Array(PER_SESSION).fill(101), ...Array(8).fill(429)];
    expect(statusesOf(upgrades)).toEqual(expected);
    expect(upgrades.find(({ status }) => status === 429)).toMatchObject({
      body: '',
      headers: { connection: 'close', 'content-length': '0' },
    });
    const asked = await inTurns(LIMIT, () => command(hub.url, his, '/timeouts', bob.headers));
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await upgrade(hub.url, `/bidi/${his}`, bob.headers)).status).toBe(101);
    await close(upgrades.find(({ socket }) => socket !== undefined)?.socket);
    await expect.poll(async () => (await open()).status).toBe(101);
    expect((await open()).status).toBe(429);
  });

  it('connections without a token of the hub are limited as before (contract 5)', async () => {
    const { node } = await startPair(checked);
    const port = Number(new URL(node.url).port);
    const open = new Set<Socket>();
    for (let count = 0; count < LIMIT + 6; count++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      dialed.push(socket);
      open.add(socket.on('error', () => undefined));
      socket.once('close', () => open.delete(socket));
      await once(socket, 'connect');
      socket
        .resume()
        .write('POST /session HTTP/1.1\r\nHost: x\r\nX-Svc-Hub-Token: x\r\nContent-Length: 9\r\n\r\n');
    }
    await expect.poll(() => open.size).toBe(LIMIT);
  });
});
