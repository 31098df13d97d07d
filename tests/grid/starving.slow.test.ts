import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { makePerson, type Person, pairOf } from '../support/sessions.ts';
import { create, createdBy, type Entrance, send, startEntrance } from './support/entrance.ts';
import { type FakeGrid, startFakeGrid } from './support/fake-grid.ts';

/** Requests that some clients keep waiting must not delay the requests of other clients. */

let grid: FakeGrid;
let entrance: Entrance;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  grid = await startFakeGrid();
  const env = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_MAX_CONNECTIONS_PER_ADDRESS: '0' };
  entrance = await startEntrance(grid.url, { env });
  ana = await makePerson(entrance, entrance.admin, 'ana@example.test');
  bob = await makePerson(entrance, entrance.admin, 'bob@example.test');
});
beforeEach(() => {
  grid.odd = null;
});

/** Holds back the responses to the selected requests. */
function hold(isFor: (method: string, url: string) => boolean): ServerResponse[] {
  const held: ServerResponse[] = [];
  grid.odd = ({ method = '', url = '' }, res) => {
    if (!isFor(method, url)) return 'usual';
    return held.push(res);
  };
  return held;
}

const openFiles = () => readdirSync(`/proc/${entrance.child.pid}/fd`).length;

function answer(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end('{"value":null}');
}

function ask(
  path: string,
  person: Person,
  body?: object,
): { asking: ClientRequest; status: Promise<number> } {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { ...person.headers, 'content-type': 'application/json' };
  const asking = httpRequest(`${entrance.url}${path}`, { headers, agent: false, method });
  const status = new Promise<number>((done) => {
    asking.once('response', (res) => done(res.resume().statusCode ?? 0)).once('error', () => done(0));
  });
  asking.end(body === undefined ? undefined : JSON.stringify(body));
  return { asking, status };
}

it('a session has 16 commands under way, and whatever waits takes nothing from other sessions (contract 8)', async () => {
  const [hers, his] = [await createdBy(entrance.url, ana), await createdBy(entrance.url, bob)];
  const held = hold((_method, url) => url.includes(hers));
  const askOften = (times: number) => Array.from({ length: times }, () => ask(`/session/${hers}/url`, ana));
  const files = openFiles();
  const kept = askOften(100);
  await expect.poll(() => held.length).toBe(16);
  await expect.poll(openFiles).toBeGreaterThanOrEqual(files + kept.length);
  // These commands wait behind those above.
  const left = askOften(1_400);
  await expect.poll(openFiles).toBeGreaterThanOrEqual(files + kept.length + left.length);
  expect((await send(`${entrance.url}/session/${his}/url`, { headers: bob.headers })).status).toBe(200);
  expect((await send(`${entrance.url}/status`)).body.value.ready).toBe(true);
  expect((await create(entrance.url, bob)).status).toBe(200);
  expect(held.length).toBe(16);

  // Requests whose client disconnected are never sent.
  for (const { asking } of left) asking.destroy();
  await Promise.all(left.map(({ status }) => status));
  await expect.poll(openFiles).toBeLessThan(files + kept.length + 32);
  let answered = 0;
  while (answered < kept.length) {
    await expect.poll(() => held.length).toBe(Math.min(answered + 16, kept.length));
    for (const res of held.slice(answered)) answer(res);
    answered = held.length;
  }
  expect(new Set(await Promise.all(kept.map(({ status }) => status)))).toEqual(new Set([200]));
  expect(held.length).toBe(kept.length);
  expect((await send(`${entrance.url}/session/${hers}/url`, { headers: bob.headers })).status).toBe(404);
});

it('the end of a session waits for none of its commands (contract 8)', async () => {
  const id = await createdBy(entrance.url, ana);
  const held = hold((method, url) => method === 'GET' && url.includes(id));
  const asked = Array.from({ length: 40 }, () => ask(`/session/${id}/url`, ana));
  await expect.poll(() => held.length).toBe(16);
  const ended = await send(`${entrance.url}/session/${id}`, { method: 'DELETE', headers: ana.headers });
  expect(ended.status).toBe(200);
  expect(grid.sessions.has(id)).toBe(false);
  for (const { asking } of asked) asking.destroy();
});

it('creates that a grid keeps in its queue hold up neither commands nor the look at the grid (contract 8)', async () => {
  const id = await createdBy(entrance.url, bob);
  const held = hold((method, url) => method === 'POST' && url === '/session');
  const body = { capabilities: { alwaysMatch: { 'svc:options': pairOf(ana) } } };
  const asked = Array.from({ length: 300 }, () => ask('/session', ana, body));
  await expect.poll(() => held.length).toBe(256);
  expect((await send(`${entrance.url}/session/${id}/url`, { headers: bob.headers })).status).toBe(200);
  expect((await send(`${entrance.url}/status`)).body.value.ready).toBe(true);

  // If clients cancel their create-session requests, the entrance waits for 64 of the responses, in order to end their
  // sessions.
  for (const { asking } of asked) asking.destroy();
  await expect.poll(() => held.filter(({ destroyed }) => !destroyed).length).toBe(64);
  const running = new Set(grid.sessions);
  held.forEach((res, index) => {
    if (res.destroyed) return;
    grid.sessions.add(`late-${index}`);
    const value = { sessionId: `late-${index}`, capabilities: {} };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ value }));
  });
  await expect.poll(() => grid.sessions).toEqual(running);
  await expect.poll(openFiles, { timeout: 15_000 }).toBeLessThan(64);
});
