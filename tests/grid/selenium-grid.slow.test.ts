import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  commandHeaders,
  SvcClient,
  webdriverioOptions,
  withCommandHeaders,
  withCredentials,
} from '@svc/client';
import { Capabilities, WebDriver } from 'selenium-webdriver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { startRecorder } from '../hub/support/recorder.ts';
import { makePerson, type Person, pairOf } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';
import { startAuthority } from './support/certificates.ts';
import { create, createdBy, type Entrance, send, startEntrance } from './support/entrance.ts';
import { startLine } from './support/line.ts';
import { type SeleniumGrid, startSeleniumGrid } from './support/selenium-grid.ts';

const { resolve } = createRequire(import.meta.url);
const FAKE = {
  platformName: 'Fake',
  'appium:automationName': 'Fake',
  'appium:deviceName': 'Fake',
  'appium:app': join(dirname(resolve('@svc/lab/package.json')), 'app', 'notes.xml'),
};
/** Loaded with `require`, because an ES module cannot import this folder. */
const { Executor, HttpClient } = createRequire(import.meta.url)(
  'selenium-webdriver/http',
) as typeof import('selenium-webdriver/http', { with: { 'resolution-mode': 'require' }});

let grid: SeleniumGrid;
let wire: Awaited<ReturnType<typeof startRecorder>>;
let entrance: Entrance;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  grid = await startSeleniumGrid();
  wire = await startRecorder(Number(new URL(grid.url).port));
  entrance = await startEntrance(wire.url);
  ana = await makePerson(entrance, entrance.admin, 'ana@example.test');
  bob = await makePerson(entrance, entrance.admin, 'bob@example.test');
}, 120_000);
afterAll(async () => {
  await entrance?.stop();
  wire?.close();
  await grid?.stop();
});

const bearerOf = async ({ cookie }: { cookie: string }) => {
  const client = new SvcClient({ url: entrance.url, credential: { cookie } });
  return { authorization: `Bearer ${(await client.issueBearer({})).token}` };
};
const inGrid = async () => JSON.stringify((await send(`${grid.url}/status`)).body);

describe('a Selenium Grid behind the entrance', () => {
  it('WebdriverIO creates, drives and ends a session of its own (specification 5.4.1, 5.7.2)', async () => {
    const client = new SvcClient({ url: entrance.url, credential: ana });
    const headers = commandHeaders({ issue: () => client.issueBearer({ audience: 'svc-mcp' }) });
    await headers.ready();
    const device = await remote({
      hostname: '127.0.0.1',
      port: Number(new URL(entrance.url).port),
      path: '/',
      logLevel: 'silent',
      connectionRetryCount: 0,
      ...webdriverioOptions(headers),
      capabilities: withCredentials(
        { ...FAKE, 'svc:options': { record: 'failures' } },
        ana,
      ) as WebdriverIO.Capabilities,
    });
    expect(await device.getPageSource()).toContain('<');
    expect(await inGrid()).toContain(device.sessionId);
    expect(await device.executeScript('svc: setSessionName', [{ name: 'through the grid' }])).toEqual({
      recorded: true,
    });
    await device.executeScript('svc: setSessionStatus', [{ status: 'failed' }]);
    const recorded = await entrance.api(`/session/${device.sessionId}/recording`, { headers: ana.headers });
    expect(await recorded.json()).toMatchObject({
      state: 'recording',
      pictures: 1,
      marks: [{ kind: 'failure' }],
    });
    const listed = await entrance.api('/sessions', { headers: ana.headers });
    expect(await listed.json()).toMatchObject([
      { id: device.sessionId, name: 'through the grid', owner: { id: ana.userId } },
    ]);
    await device.deleteSession();
    headers.stop();
    await expect.poll(inGrid).not.toContain(device.sessionId);
  });

  it('selenium-webdriver does, and without headers gets a session and no further (specification 5.4.1, 5.7.2)', async () => {
    const start = (pair: ReturnType<typeof pairOf>) => {
      const Client = withCommandHeaders(HttpClient, commandHeaders(pair));
      return WebDriver.createSession(
        new Executor(new Client(entrance.url)),
        new Capabilities(withCredentials({ browserName: '', ...FAKE }, ana)),
      );
    };
    const driver = await start(pairOf(ana));
    expect(await driver.getPageSource()).toContain('<');
    await driver.quit();
    const bare = WebDriver.createSession(
      new Executor(new HttpClient(entrance.url)),
      new Capabilities(withCredentials({ browserName: '', ...FAKE }, ana)),
    );
    await expect(bare.getPageSource()).rejects.toMatchObject({ name: 'NoSuchSessionError' });
    const id = (await bare.getSession()).getId();
    expect(
      (await send(`${entrance.url}/session/${id}`, { method: 'DELETE', headers: ana.headers })).status,
    ).toBe(200);
  });

  it('a Selenium Grid behind the entrance is its owner’s and an admin’s, in whatever spelling (specification 5.7.3)', async () => {
    const [own, other] = [await createdBy(entrance.url, bob, FAKE), await createdBy(entrance.url, ana, FAKE)];
    const source = (id: string, headers: Record<string, string>) =>
      send(`${entrance.url}/session/${id}/source`, { headers });
    expect((await source(other, ana.headers)).status).toBe(200);
    expect((await source(other, await bearerOf({ cookie: entrance.admin }))).status).toBe(200);
    for (const headers of [bob.headers, {}]) expect((await source(other, headers)).status).toBe(404);
    for (const path of [
      `/wd/hub/session/${other}/source`,
      `/session/${own}/session/${other}/source`,
      `/se/grid/session/${other}`,
    ])
      expect((await send(`${entrance.url}${path}`, { headers: bob.headers })).status).toBe(400);
    for (const id of [own, other])
      await send(`${entrance.url}/session/${id}`, {
        method: 'DELETE',
        headers: await bearerOf({ cookie: entrance.admin }),
      });
  });

  it('any WebDriver endpoint will do: BiDi of an Appium goes through, by its owner (specification 5.7.7)', async () => {
    const front = await startEntrance(grid.appium);
    const eve = await makePerson(front, front.admin, 'eve@example.test');
    const other = await makePerson(front, front.admin, 'other@example.test');
    const { body } = await send(`${front.url}/session`, {
      method: 'POST',
      json: { capabilities: { alwaysMatch: { ...FAKE, webSocketUrl: true, 'svc:options': pairOf(eve) } } },
    });
    const { sessionId: id, capabilities } = body.value;
    expect(capabilities.webSocketUrl).toBe(`ws://${new URL(front.url).host}/bidi/${id}`);
    expect((await upgrade(front.url, `/bidi/${id}`, other.headers)).status).toBe(404);
    const opened = await upgrade(front.url, `/bidi/${id}`, eve.headers);
    if (opened.socket === undefined) throw new Error(`not open: ${opened.status}`);
    expect(await bidi(opened.socket, 'session.status')).toMatchObject({ type: 'success' });
    await close(opened.socket);
    await send(`${front.url}/session/${id}`, { method: 'DELETE', headers: eve.headers });
    await front.stop();
  });

  it('a Selenium Grid behind the entrance is driven by TLS of a private authority, and so is BiDi of an Appium (contract 8, HTTPS)', async () => {
    const authority = await startAuthority();
    for (const at of [grid.url, grid.appium]) {
      const line = await startLine(Number(new URL(at).port), await authority.sign('127.0.0.1'));
      const env = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_UPSTREAM_TLS_CA: authority.file };
      const front = await startEntrance(line.url, { env });
      const eve = await makePerson(front, front.admin, 'eve@example.test');
      const isAppium = at === grid.appium;
      const id = await createdBy(front.url, eve, { ...FAKE, ...(isAppium ? { webSocketUrl: true } : {}) });
      const { headers } = eve;
      expect((await send(`${front.url}/session/${id}/source`, { headers })).status).toBe(200);
      if (isAppium) {
        const opened = await upgrade(front.url, `/bidi/${id}`, headers);
        if (opened.socket === undefined) throw new Error(`not open: ${opened.status}`);
        expect(await bidi(opened.socket, 'session.status')).toMatchObject({ type: 'success' });
        await close(opened.socket);
      }
      expect((await send(`${front.url}/session/${id}`, { method: 'DELETE', headers })).status).toBe(200);
      await front.stop();
      await line.stop();
    }
  });

  it('a grid that is suspended gets waiting clients a 503, and continues where it was (contract 8.4)', async () => {
    const id = await createdBy(entrance.url, ana, FAKE);
    const source = () => send(`${entrance.url}/session/${id}/source`, { headers: ana.headers });
    grid.hub.child.kill('SIGSTOP');
    const [command, created, status] = await Promise.all([
      source(),
      create(entrance.url, ana, FAKE),
      send(`${entrance.url}/status`),
    ]);
    grid.hub.child.kill('SIGCONT');
    expect([command.status, command.body.value.error]).toEqual([503, 'unknown error']);
    expect([created.status, created.body.value.error]).toEqual([503, 'session not created']);
    expect(status.status).toBe(503);
    expect((await source()).status).toBe(200);
    const headers = ana.headers;
    expect((await send(`${entrance.url}/session/${id}`, { method: 'DELETE', headers })).status).toBe(200);
  });

  it('a Selenium Grid behind the entrance shows its own pages to override admins alone (contract 3.4)', async () => {
    const query = { query: '{ sessionsInfo { sessions { id } } }' };
    const ask = (headers: Record<string, string>) =>
      send(`${entrance.url}/graphql`, { method: 'POST', headers, json: query });
    expect((await ask({})).status).toBe(401);
    expect((await ask(ana.headers)).status).toBe(403);
    const shown = await ask(await bearerOf({ cookie: entrance.admin }));
    expect([shown.status, shown.body.data]).toMatchObject([200, { sessionsInfo: { sessions: [] } }]);
  });

  it('sessions outlive the entrance, and a grid that is gone answers 503 (specification 9.2, contract 8.4, contract 11)', async () => {
    const id = await createdBy(entrance.url, ana, FAKE);
    const options = { 'svc:options': { ...pairOf(ana), record: 'failures' } };
    const recorded = await createdBy(entrance.url, ana, { ...FAKE, ...options });
    const json = { script: 'svc: captureEvidence', args: [] };
    const { headers } = ana;
    const at = () => `${entrance.url}/session/${recorded}`;
    await send(`${at()}/execute/sync`, { method: 'POST', headers, json });
    const { dataDir } = entrance;
    await entrance.stop('SIGKILL');
    entrance = { ...(await startEntrance(wire.url, { dataDir })) };
    const source = () => send(`${entrance.url}/session/${id}/source`, { headers: ana.headers });
    expect((await source()).status).toBe(200);
    const recording = async () => (await entrance.api(`/session/${recorded}/recording`, { headers })).json();
    expect(await recording()).toMatchObject({ state: 'complete', pictures: 1 });
    await send(at(), { method: 'DELETE', headers });
    // The recording is kept only for a failed session, and this session has not failed.
    await expect.poll(recording).toMatchObject({ state: 'none' });
    await Promise.all([grid.hub.stop('SIGKILL'), grid.node.stop('SIGKILL')]);
    const gone = await source();
    expect([gone.status, gone.body.value.error]).toEqual([503, 'unknown error']);
    expect((await send(`${entrance.url}/status`)).status).toBe(503);
  });

  it('a Selenium Grid behind the entrance has never been sent a secret of a client (specification 5.4.6)', () => {
    const received = wire.received();
    const written = readdirSync(entrance.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    const output = Buffer.from(`${grid.hub.output()}${grid.node.output()}${entrance.output()}`);
    for (const { accessKey, token, cookie } of [ana, bob]) {
      for (const secret of [token, cookie.split('=')[1] as string])
        for (const each of [received, output, ...written]) expect(each.includes(secret)).toBe(false);
      expect(received.includes(accessKey)).toBe(false);
    }
    expect(received.toString('latin1')).not.toMatch(/\r\n(?:cookie|authorization|x-svc-[\w-]+):/i);
  });
});
