import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, startFurther } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { type Authority, startAuthority } from './support/certificates.ts';
import { create, createdBy, type Entrance, send, startEntrance } from './support/entrance.ts';
import { type FakeGrid, startFakeGrid } from './support/fake-grid.ts';
import { type Line, startLine } from './support/line.ts';

/** A grid behind TLS with a certificate of a private authority. */

const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };

let grid: FakeGrid;
let authority: Authority;
let line: Line;
/** Data folder of an entrance with a running session. */
let dataDir: string;
let ana: Person;
let id: string;
const lines: Line[] = [];

const behindTls = async (altName: string, by = authority) => {
  const started = await startLine(Number(new URL(grid.url).port), await by.sign(altName));
  lines.push(started);
  return started;
};
const start = (url: string, env: Readonly<Record<string, string>>, folder = freshDataDir()) =>
  startEntrance(url, { env: { ...STRICT, ...env }, dataDir: folder });

beforeAll(async () => {
  grid = await startFakeGrid();
  authority = await startAuthority();
  line = await behindTls('127.0.0.1');
  dataDir = freshDataDir();
  const entrance = await start(line.url, { SVC_UPSTREAM_TLS_CA: authority.file }, dataDir);
  ana = await makePerson(entrance, entrance.admin, 'ana@example.test');
  id = await createdBy(entrance.url, ana);
  await entrance.stop();
});
afterAll(() => Promise.all(lines.map((each) => each.stop())));

/** Sends every kind of request to the grid, with a session from its creation to its end. */
async function drive(entrance: Entrance, person: Person): Promise<void> {
  const own = await createdBy(entrance.url, person);
  const { headers } = person;
  expect((await send(`${entrance.url}/session/${own}/url`, { headers })).status).toBe(200);
  const file = { method: 'POST', headers, json: { file: 'x'.repeat(1_000_000) } };
  const uploaded = await send(`${entrance.url}/session/${own}/se/file`, file);
  expect(uploaded.body.value.body.length).toBeGreaterThan(1_000_000);
  for (const path of ['se/bidi', 'se/cdp']) {
    const opened = await upgrade(entrance.url, `/session/${own}/${path}`, headers);
    expect(opened.status).toBe(101);
    opened.socket?.send('hello');
    const said = await new Promise((heard) => opened.socket?.once('message', (data) => heard(String(data))));
    expect(said).toBe(`/session/${own}/${path} hello`);
    await close(opened.socket);
  }
  expect((await send(`${entrance.url}/status`)).body.value.ready).toBe(true);
  expect((await entrance.api(`/session/${own}`, { method: 'DELETE', headers })).status).toBe(204);
  expect(grid.sessions.has(own)).toBe(false);
}

/** Expects that the entrance does not connect to the grid, for a reason that matches `cause`. */
async function refuses(entrance: Entrance, cause: RegExp): Promise<void> {
  grid.reached.length = 0;
  const entry = await entrance.line(/The grid does not respond/);
  expect(JSON.parse(entry).cause).toMatch(cause);
  const created = await create(entrance.url, ana);
  expect([created.status, created.body.value]).toMatchObject([
    503,
    { error: 'session not created', message: 'the grid cannot be reached' },
  ]);
  const commanded = await send(`${entrance.url}/session/${id}/url`, { headers: ana.headers });
  expect([commanded.status, commanded.body.value]).toMatchObject([
    503,
    { error: 'unknown error', message: 'the grid cannot be reached; the command was not sent' },
  ]);
  expect((await upgrade(entrance.url, `/session/${id}/se/bidi`, ana.headers)).status).toBe(503);
  expect((await send(`${entrance.url}/status`)).status).toBe(503);
  expect(grid.reached).toEqual([]);
  expect((await entrance.api('/auth/me', { headers: ana.headers })).status).toBe(200);
  await entrance.stop();
}

describe('a grid behind TLS (contract 8, HTTPS)', () => {
  it.each(['127.0.0.1', 'localhost'])(
    'a grid behind TLS is driven by the authority of SVC_UPSTREAM_TLS_CA, sockets included, at %s (contract 8, HTTPS)',
    async (host) => {
      const at = await behindTls(host);
      const entrance = await start(at.url.replace('127.0.0.1', host), {
        SVC_UPSTREAM_TLS_CA: authority.file,
      });
      await drive(entrance, await makePerson(entrance, entrance.admin, 'bob@example.test'));
      await entrance.stop();
    },
  );

  it("a grid behind TLS is driven by an authority of Node's own NODE_EXTRA_CA_CERTS (contract 8, HTTPS)", async () => {
    const entrance = await start(line.url, { NODE_EXTRA_CA_CERTS: authority.file }, dataDir);
    await drive(entrance, ana);
    await entrance.stop();
  });

  it('a grid behind TLS is sent nothing without that authority, and the log says why (contract 8, HTTPS)', async () => {
    await refuses(await start(line.url, {}, dataDir), /no trusted authority has signed its certificate/);
  });

  it('a grid behind TLS is sent nothing when SVC_UPSTREAM_TLS_CA names another authority, whatever Node trusts (contract 8, HTTPS)', async () => {
    const other = await startAuthority();
    const env = { SVC_UPSTREAM_TLS_CA: other.file, NODE_EXTRA_CA_CERTS: authority.file };
    await refuses(await start(line.url, env, dataDir), /no trusted authority has signed its certificate/);
  });

  it('a grid behind TLS is sent nothing when its certificate is for another host (contract 8, HTTPS)', async () => {
    // Use the same port again, because the sessions belong to the grid at this address.
    const port = Number(new URL(line.url).port);
    await line.stop();
    const other = await startLine(
      Number(new URL(grid.url).port),
      await authority.sign('grid.example.test'),
      port,
    );
    lines.push(other);
    await refuses(
      await start(other.url, { SVC_UPSTREAM_TLS_CA: authority.file }, dataDir),
      /its certificate is for another host/,
    );
  });

  it('a grid without a TLS handshake delays no client for longer than 10 s (contract 8, HTTPS)', async () => {
    const plain = await startLine(Number(new URL(grid.url).port));
    plain.mode = 'silent';
    lines.push(plain);
    const entrance = await start(plain.url.replace('http:', 'https:'), {});
    const bob = await makePerson(entrance, entrance.admin, 'bob@example.test');
    const began = performance.now();
    const { status, body } = await create(entrance.url, bob);
    expect([status, body.value.message]).toEqual([503, 'the grid cannot be reached']);
    expect(performance.now() - began).toBeLessThan(10_000);
    await entrance.stop();
  });
});

describe('a grid behind TLS and the proxy of SVC_PROXY (specification 9.2 from 2.16)', () => {
  let proxy: Server;
  let far: Line;
  beforeAll(async () => {
    far = await behindTls('far.test');
    proxy = createServer();
    proxy.on('connect', (_req, socket: Socket) => {
      const to = connect(Number(new URL(far.url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(to).pipe(socket);
      });
      to.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('error', () => to.destroy()).on('close', () => to.destroy());
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  it('a grid behind TLS and the proxy of SVC_PROXY is driven, and a socket that it does not answer is given up (specification 9.2 from 2.16)', async () => {
    const entrance = await start('https://far.test', {
      SVC_UPSTREAM_TLS_CA: authority.file,
      SVC_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });
    const bob = await makePerson(entrance, entrance.admin, 'bob@example.test');
    await drive(entrance, bob);
    const own = await createdBy(entrance.url, bob);
    far.mode = 'silent';
    const began = performance.now();
    expect((await upgrade(entrance.url, `/session/${own}/se/bidi`, bob.headers)).status).toBe(503);
    expect(performance.now() - began).toBeLessThan(19_000);
    await entrance.stop();
  });
});

it('a first entrance behind TLS is heard and asked by SVC_ENTRANCE_TLS_CA (contract 8, HTTPS)', async () => {
  const first = await startEntrance(grid.url, { env: { ...STRICT, SVC_ENTRANCES: 'true' } });
  const root = await makePerson(first, first.admin, 'root@example.test', 'Super admin');
  const bob = await makePerson(first, first.admin, 'bob@example.test');
  const toFirst = await startLine(Number(new URL(first.url).port), await authority.sign('127.0.0.1'));
  lines.push(toFirst);
  const env = {
    ...STRICT,
    SVC_UPSTREAM: grid.url,
    SVC_ENTRANCE_OF: toFirst.url,
    SVC_ENTRANCE_ACCESS_KEY: root.accessKey,
    SVC_ENTRANCE_TOKEN: root.token,
  };
  const further = await startFurther({ env: { ...env, SVC_ENTRANCE_TLS_CA: authority.file } });
  const ready = async ({ url }: { url: string }) => (await send(`${url}/svc/api/health/ready`)).status;
  await expect.poll(() => ready(further)).toBe(200);
  const own = await createdBy(further.url, bob);
  expect((await send(`${further.url}/session/${own}/url`, { headers: bob.headers })).status).toBe(200);

  const strange = await startFurther({ env });
  const entry = await strange.line(/The first entrance does not respond/);
  expect(JSON.parse(entry).cause).toMatch(/no trusted authority has signed its certificate/);
  expect(await ready(strange)).toBe(503);
  expect((await create(strange.url, bob)).status).toBe(503);
});
