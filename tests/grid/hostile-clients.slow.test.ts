import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, type AgentOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { newTokenSecret } from '@svc/auth-core';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { makeToken, type RunningServer, startFurther } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { create, createdBy, type Entrance, send, startEntrance } from './support/entrance.ts';
import { type FakeGrid, startFakeGrid } from './support/fake-grid.ts';

/* Clients without credentials, against a further entrance with the default limits. */

const HOSTILE = 512;
const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };

let grid: FakeGrid;
let first: Entrance;
let further: RunningServer;
const people: Person[] = [];
let id: string;

beforeAll(async () => {
  grid = await startFakeGrid();
  first = await startEntrance(grid.url, { env: { ...STRICT, SVC_ENTRANCES: 'true' } });
  const key = await makeToken(first.url, first.admin, { name: 'entrances', scopes: ['admin'] });
  further = await startFurther({
    env: {
      ...STRICT,
      SVC_UPSTREAM: grid.url,
      SVC_ENTRANCE_OF: first.url,
      SVC_ENTRANCE_ACCESS_KEY: key.accessKey,
      SVC_ENTRANCE_TOKEN: key.token,
    },
  });
  for (let count = 0; count < 10; count++)
    people.push(await makePerson(first, first.admin, `person-${count}@example.test`));
  id = await createdBy(first.url, people[0] as Person);
});

const open = new Set<Socket>();
afterEach(() => {
  for (const socket of open) socket.destroy();
});

/**
 * Opens the connections of one hostile client. Each sends the head of a create-session request and the given part of
 * its body.
 */
async function attack(host: string, length: number, body: string): Promise<void> {
  const port = Number(new URL(further.url).port);
  const head = `POST /session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const connected = Array.from({ length: HOSTILE }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: host });
    open.add(socket.on('error', () => undefined));
    socket.once('close', () => open.delete(socket));
    return new Promise((done) => socket.write(head + body, done));
  });
  await Promise.all(connected);
}

/** Number of the next person, whose credentials this entrance has not seen since the last command. */
let next = 1;
async function expectService(): Promise<void> {
  const person = people[next++] as Person;
  const other = await send(`${further.url}/session/${id}/url`, { headers: person.headers });
  // The 404 shows that the credential was looked up and that the session belongs to another user. Without a response to
  // the look-up, the status would be 503.
  expect([other.status, other.body.value?.error]).toEqual([404, 'invalid session id']);
  const created = await create(further.url, person);
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  const { sessionId } = created.body.value;
  const command = await send(`${further.url}/session/${sessionId}/url`, { headers: person.headers });
  expect(command.status).toBe(200);
  expect((await first.api('/auth/me', { headers: person.headers })).status).toBe(200);
}

it('512 creates whose bodies never arrive keep nobody from creates and look-ups (contract 5)', async () => {
  await expect.poll(async () => (await send(`${further.url}/svc/api/health/ready`)).status).toBe(200);
  await attack('127.0.0.2', 1000, '{');
  await expectService();
  await expectService();
  expect(open.size).toBe(HOSTILE);
});

it('the service survives 512 longer creates of each of three clients (contract 5)', async () => {
  await Promise.all(
    ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((host) => attack(host, 400_000, '{'.repeat(20))),
  );
  await expectService();
  await expectService();
});

it('the service survives repeated whole creates without credentials (contract 5)', async () => {
  const body = JSON.stringify({ capabilities: { alwaysMatch: { platformName: 'Fake' } } });
  await Promise.all(['127.0.0.2', '127.0.0.3'].map((host) => attack(host, body.length, body)));
  await expectService();
  expect(grid.sessions.size).toBeGreaterThan(0);
});

it('the service survives commands with made-up key pairs, as many as one client can send (contract 7)', async () => {
  const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.2' } as AgentOptions);
  const random = { bytes: randomBytes, uuid: randomUUID };
  let isOver = false;
  const ask = () =>
    new Promise<number>((done, failed) => {
      const headers = { 'x-svc-access-key': `svc_${'a'.repeat(24)}`, 'x-svc-token': newTokenSecret(random) };
      const asking = request(`${further.url}/session/${id}/url`, { agent, headers }, (res) => {
        res.resume().once('end', () => done(res.statusCode ?? 0));
      });
      asking.once('error', failed).end();
    });
  const statuses = new Set<number>();
  const clients = Array.from({ length: 300 }, async () => {
    while (!isOver) statuses.add(await ask());
  });
  await expect.poll(() => [...statuses].sort()).toEqual([404, 503]);
  await expectService();
  await expectService();
  isOver = true;
  await Promise.all(clients);
  agent.destroy();
  expect([...statuses].sort()).toEqual([404, 503]);
});
