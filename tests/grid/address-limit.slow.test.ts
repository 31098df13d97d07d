import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KeyPair, makeToken } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';
import { createdBy, type Entrance, startEntrance } from './support/entrance.ts';
import { startFakeGrid } from './support/fake-grid.ts';

const LIMIT = 4;
const PER_SESSION = 32;

let first: Entrance;
let key: KeyPair;
let ana: Person;

beforeAll(async () => {
  const grid = await startFakeGrid();
  first = await startEntrance(grid.url, {
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_ENTRANCES: 'true',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_MAX_CONNECTIONS_PER_ADDRESS: String(LIMIT),
    },
  });
  key = await makeToken(first.url, first.admin, { name: 'entrances', scopes: ['admin'] });
  ana = await makePerson(first, first.admin, 'ana@example.test');
});

const dialed: Socket[] = [];
afterAll(() => {
  for (const socket of dialed) socket.destroy();
});

/**
 * Sends a request on a new connection, which stays open.
 * @returns the status, or 0 if the connection is refused
 */
async function ask(path: string, { accessKey, token }: KeyPair): Promise<number> {
  const { hostname: host, port } = new URL(first.url);
  const socket = connect({ host, port: Number(port), localAddress: '127.0.0.2' });
  dialed.push(socket.on('error', () => undefined));
  const credentials = `x-svc-access-key: ${accessKey}\r\nx-svc-token: ${token}\r\n`;
  socket.write(`GET /svc/api${path} HTTP/1.1\r\nHost: x\r\n${credentials}\r\n`);
  // The `once` of node:events would reject here, because a refused connection may also be reset.
  const data = await new Promise<unknown>((resolve) => {
    socket.once('data', resolve).once('close', () => resolve(''));
  });
  return Number(String(data).split(' ')[1] ?? 0);
}

it('connections over which accounts are told do not count for their address, all others do (contract 5)', async () => {
  for (let count = 0; count < 3 * LIMIT; count++) expect(await ask('/entrances/accounts', key)).toBe(200);
  expect(await ask('/entrances/accounts', ana)).toBe(403);
  for (let count = 0; count < LIMIT - 1; count++) expect(await ask('/auth/me', key)).toBe(200);
  expect(await ask('/entrances/accounts', key)).toBe(0);
});

it('the sockets of a session at a grid are capped together, whichever kind they are (contract 5)', async () => {
  const id = await createdBy(first.url, ana);
  const statuses: number[] = [];
  for (let count = 0; count < PER_SESSION + 6; count++) {
    const kind = ['bidi', 'cdp', 'vnc'][count % 3];
    statuses.push((await upgrade(first.url, `/session/${id}/se/${kind}`, ana.headers)).status);
  }
  expect(statuses).toEqual([...Array(PER_SESSION).fill(101), ...Array(6).fill(429)]);
  const other = await createdBy(first.url, ana);
  expect((await upgrade(first.url, `/session/${other}/se/bidi`, ana.headers)).status).toBe(101);
});
