import { readdirSync, readFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { it } from 'vitest';
import { type RunningServer, startFurther } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';
import { create, createdBy, type Entrance, send, startEntrance } from './support/entrance.ts';
import { startFakeGrid } from './support/fake-grid.ts';
import { type LineMode, startLine } from './support/line.ts';

/** Grids that accept connections and do not respond. */

/** The limit in `docs/guides/grid.md` (40 s), and time for a busy machine. */
const GIVEN_UP_MS = 45_000;

interface Outcome {
  /** `cut off` means that the connection was closed after the head of the response. */
  readonly status: number | 'cut off';
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape.
  readonly body?: any;
  readonly tookMs: number;
}

async function outcome(asking: Promise<{ status: number; body: unknown }>): Promise<Outcome> {
  const began = performance.now();
  const settled = await asking.then(
    ({ status, body }) => ({ status, body }),
    () => ({ status: 'cut off' as const }),
  );
  return { ...settled, tookMs: performance.now() - began };
}

const openFiles = ({ child }: RunningServer) => readdirSync(`/proc/${child.pid}/fd`).length;
const residentMebibytes = ({ child }: RunningServer) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Sends a request without waiting for its response. */
function ask(url: string, headers: Readonly<Record<string, string>>, body?: string): ClientRequest {
  const asking = httpRequest(url, { headers, agent: false, method: body === undefined ? 'GET' : 'POST' });
  asking.on('error', () => undefined);
  asking.end(body);
  return asking;
}

async function behindLine(env: Readonly<Record<string, string>> = {}) {
  const grid = await startFakeGrid();
  const line = await startLine(Number(new URL(grid.url).port));
  const strict = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };
  const entrance = await startEntrance(line.url, {
    env: { ...strict, SVC_MAX_CONNECTIONS_PER_ADDRESS: '0', ...env },
  });
  const ana = await makePerson(entrance, entrance.admin, 'ana@example.test');
  const root = await makePerson(entrance, entrance.admin, 'root@example.test', 'Super admin');
  return { grid, line, entrance, ana, root };
}

/** Sends every kind of request to an entrance at the same time. */
async function everything({ url }: Entrance, id: string, ana: Person, root: Person) {
  const { headers } = ana;
  const session = `${url}/session/${id}`;
  const large = { method: 'POST', headers, json: { file: 'x'.repeat(5_000_000) } };
  const execute = { script: 'svc: setSessionName', args: [{ name: 'silent' }] };
  const asked = {
    command: send(`${session}/url`, { headers }),
    post: send(`${session}/url`, { method: 'POST', headers, json: { url: 'x' } }),
    large: send(`${session}/se/file`, large),
    create: create(url, ana),
    page: send(`${url}/graphql`, { headers: root.headers }),
    socket: upgrade(url, `/session/${id}/se/cdp`, headers),
    status: send(`${url}/status`),
    named: send(`${session}/execute/sync`, { method: 'POST', headers, json: execute }),
    listing: send(`${url}/appium/sessions`, { headers }),
    me: send(`${url}/svc/api/auth/me`, { headers }),
    ready: send(`${url}/svc/api/health/ready`),
  };
  const settled = await Promise.all(
    Object.entries(asked).map(async ([name, asking]) => [name, await outcome(asking)] as const),
  );
  return Object.fromEntries(settled) as Record<keyof typeof asked, Outcome>;
}

it.concurrent.for<LineMode>(['silent', 'deaf', 'stalls'])(
  'a grid that is %s holds up nobody for long, keeps nothing, and no stop (contract 8.4, 9)',
  { timeout: 150_000 },
  async (mode, { expect }) => {
    const { line, entrance, ana, root } = await behindLine();
    const id = await createdBy(entrance.url, ana);
    const url = `${entrance.url}/session/${id}/url`;
    const bidi = `/session/${id}/se/bidi`;
    expect((await upgrade(entrance.url, bidi, ana.headers)).status).toBe(101);
    const [files, memory] = [openFiles(entrance), residentMebibytes(entrance)];

    line.mode = mode;
    const {
      command,
      post,
      large,
      page,
      create: created,
      ...rest
    } = await everything(entrance, id, ana, root);
    for (const each of [command, post, large, page]) {
      expect(each.tookMs).toBeLessThan(GIVEN_UP_MS);
      expect([each.status, each.body?.value.error]).toEqual(
        mode === 'stalls' ? ['cut off', undefined] : [503, 'unknown error'],
      );
    }
    expect([created.status, created.body.value.error]).toEqual([503, 'session not created']);
    expect(created.tookMs).toBeLessThan(GIVEN_UP_MS);
    // In this mode the head of the response opens a socket, on which nothing arrives.
    expect(rest.socket.status).toBe(mode === 'stalls' ? 101 : 503);
    expect(rest.socket.tookMs).toBeLessThan(20_000);
    expect([rest.status.status, rest.status.body.value.error]).toEqual([503, 'unknown error']);
    expect(rest.status.tookMs).toBeLessThan(15_000);
    expect(rest.named.body).toEqual({ value: { recorded: true } });
    expect(rest.named.tookMs).toBeLessThan(GIVEN_UP_MS);
    for (const each of [rest.listing, rest.me, rest.ready]) {
      expect(each.status).toBe(200);
      expect(each.tookMs).toBeLessThan(5_000);
    }
    expect(JSON.stringify(rest.listing.body)).toContain(id);
    // The health check is about the service itself. `/status` shows whether the grid is ready.
    expect(rest.ready.body.ok).toBe(true);
    await entrance.line(/The grid does not respond/);

    for (let round = 0; round < 3; round++) {
      const waiting = Array.from({ length: 100 }, () => ask(url, ana.headers));
      await expect.poll(() => openFiles(entrance), { timeout: 10_000 }).toBeGreaterThan(files + 100);
      for (const each of waiting) each.destroy();
    }
    await expect.poll(() => openFiles(entrance), { timeout: 15_000 }).toBeLessThan(files + 8);
    expect(residentMebibytes(entrance) - memory).toBeLessThan(64);

    line.mode = 'passes';
    expect((await send(url, { headers: ana.headers })).status).toBe(200);
    await entrance.line(/The grid responds again/);
    expect((await create(entrance.url, ana)).status).toBe(200);
    expect((await upgrade(entrance.url, bidi, ana.headers)).status).toBe(101);

    line.mode = mode;
    const under = everything(entrance, id, ana, root);
    await expect.poll(() => openFiles(entrance)).toBeGreaterThan(files + 10);
    const stopped = await entrance.stop();
    expect(stopped.code).toBe(0);
    expect(stopped.tookMs).toBeLessThan(5_000);
    await under;
    await line.stop();
  },
);

it.concurrent('a further entrance waits neither for a grid nor for a first entrance that does not answer (contract 8.4, 9)', async ({
  expect,
}) => {
  const { grid, entrance: first, ana, root } = await behindLine({ SVC_ENTRANCES: 'true' });
  const toGrid = await startLine(Number(new URL(grid.url).port));
  const toFirst = await startLine(Number(new URL(first.url).port));
  const further = await startFurther({
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_UPSTREAM: toGrid.url,
      SVC_ENTRANCE_OF: toFirst.url,
      SVC_ENTRANCE_ACCESS_KEY: root.accessKey,
      SVC_ENTRANCE_TOKEN: root.token,
    },
  });
  await expect.poll(async () => (await send(`${further.url}/svc/api/health/ready`)).status).toBe(200);
  const id = await createdBy(further.url, ana);
  const command = () => send(`${further.url}/session/${id}/url`, { headers: ana.headers });
  expect((await command()).status).toBe(200);

  toGrid.mode = 'silent';
  toFirst.mode = 'silent';
  const large = { 'vendor:x': 'x'.repeat(500_000) };
  const [commanded, created] = await Promise.all([
    outcome(command()),
    outcome(create(further.url, ana, large)),
  ]);
  expect([commanded.status, commanded.body?.value.error]).toEqual([503, 'unknown error']);
  expect(commanded.tookMs).toBeLessThan(GIVEN_UP_MS);
  expect([created.status, created.body?.value.error]).toEqual([503, 'session not created']);
  expect(created.tookMs).toBeLessThan(60_000);

  toGrid.mode = 'passes';
  toFirst.mode = 'passes';
  await expect.poll(async () => (await command()).status, { timeout: 15_000 }).toBe(200);
  await createdBy(further.url, ana, large);
  expect((await upgrade(further.url, `/session/${id}/se/bidi`, ana.headers)).status).toBe(101);
  const stopped = await further.stop();
  expect(stopped.code).toBe(0);
  expect(stopped.tookMs).toBeLessThan(5_000);
}, 150_000);
