import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, freshDataDir, type RunningServer, request, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { command, devicesOf, type Hub, isThere, startHub, startNode, until } from './support/hub.ts';
import { type Recorder, startRecorder } from './support/recorder.ts';

/** A node counts as away after 30 s; the rest is the time that Appium needs. */
const LONG_MS = 120_000;

async function create(url: string, person: Person, capabilities: object): Promise<string> {
  const { status, body } = await createSession(url, pairOf(person), { capabilities: { ...capabilities } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.value.sessionId;
}

const recordOf = async (hub: RunningServer, id: string, { cookie }: Person) =>
  (await (await hub.api(`/session/${id}`, { headers: { cookie } })).json()) as {
    status: string;
    [field: string]: unknown;
  };

describe('a hub that is killed and started again (contract 8.4)', () => {
  it('a hub that is killed and started again drives at once what goes on at its nodes, and hears of what ended meanwhile (contract 8.4)', {
    timeout: LONG_MS,
  }, async () => {
    const dataDir = freshDataDir();
    const port = String(await freePort());
    const hub = await startHub({ dataDir, env: { PORT: port, SVC_LAB_DEVICES: '1' } });
    const node = await startNode(hub, { prefix: 'far', env: { SVC_LAB_DEVICES: '2' } });
    const ana = await makePerson(hub, hub.admin, 'ana@example.test');
    await until(() => devicesOf(hub, hub.admin), isThere('far-2'));
    const goesOn = await create(hub.url, ana, { 'appium:udid': 'far-1' });
    const ends = await create(hub.url, ana, { 'appium:udid': 'far-2', 'appium:newCommandTimeout': 2 });
    const local = await create(hub.url, ana, { 'appium:udid': 'hub-1' });
    await hub.stop('SIGKILL');
    await until(
      async () => node.output(),
      (text) => text.includes('New Command Timeout of 2'),
    );

    const env = {
      PORT: port,
      SVC_LAB_DEVICES: '1',
      SVC_LAB_DEVICE_PREFIX: 'hub',
      SVC_REQUIRE_COMMAND_AUTH: 'true',
    };
    const again = await startLab({ dataDir, env });
    expect((await command(again.url, goesOn, '/timeouts', ana.headers)).status).toBe(200);
    expect((await command(again.url, local, '/timeouts', ana.headers)).status).toBe(404);
    expect(await recordOf(again, local, ana)).toMatchObject({ failureCategory: 'Hub Restart' });
    const ended = await until(
      () => recordOf(again, ends, ana),
      ({ status }) => status !== 'running',
    );
    expect(ended).toMatchObject({ status: 'failed', failureCategory: 'Timeout' });
    await until(() => devicesOf(again, hub.admin), isThere('far-1'));
    expect((await devicesOf(again, hub.admin)).find(({ udid }) => udid === 'far-1')?.status).toBe('busy');
    expect((await command(again.url, goesOn, '', ana.headers, 'DELETE')).status).toBe(200);
  });
});

describe('a node that is gone (contract 8.1, 8.4)', () => {
  let hub: Hub;
  let killed: RunningServer;
  let other: RunningServer;
  let ana: Person;

  beforeAll(async () => {
    const discovery = { SVC_LAB_SESSION_DISCOVERY: 'true' };
    hub = await startHub({ env: discovery });
    killed = await startNode(hub, { prefix: 'killed', env: { SVC_LAB_DEVICES: '2' } });
    // A setting of the hub applies to the node, too (specification 5.7.9).
    other = await startNode(hub, {
      prefix: 'other',
      env: { SVC_REQUIRE_COMMAND_AUTH: 'false', SVC_LAB_DEVICES: '2', ...discovery },
    });
    ana = await makePerson(hub, hub.admin, 'ana@example.test');
    await until(() => devicesOf(hub, hub.admin), isThere('killed-1'));
    await until(() => devicesOf(hub, hub.admin), isThere('other-1'));
  });

  it('a node that is gone does not list what only its hub lists (specification 5.7.8, contract 8.3)', async () => {
    const ours = await create(hub.url, ana, { 'appium:udid': 'other-1' });
    const listOf = async (server: RunningServer, headers = {}) =>
      (await request(`${server.url}/appium/sessions`, { headers })).json();
    expect(await listOf(other)).toEqual({ value: [] });
    expect(await listOf(hub, ana.headers)).toMatchObject({ value: [{ id: ours }] });
    await command(hub.url, ours, '', ana.headers, 'DELETE');
  });

  it('a node that is gone is named in a 503, its session is lost after its time-out, others go on (contract 8.1, 8.4)', {
    timeout: LONG_MS,
  }, async () => {
    const lost = await create(hub.url, ana, { 'appium:udid': 'killed-1', 'appium:newCommandTimeout': 35 });
    const kept = await create(hub.url, ana, { 'appium:udid': 'other-1' });
    expect((await command(other.url, kept, '/timeouts', ana.headers)).status).toBe(404);
    await killed.stop('SIGKILL');
    const answer = await command(hub.url, lost, '/timeouts', ana.headers);
    expect([answer.status, answer.body]).toMatchObject([
      503,
      { value: { error: 'unknown error', message: expect.stringContaining(new URL(killed.url).host) } },
    ]);
    expect((await command(hub.url, kept, '/timeouts', ana.headers)).status).toBe(200);
    // The phone is still offered, but its node accepts no connection, so a phone of another node is used.
    const next = await create(hub.url, ana, {});
    expect(await recordOf(hub, next, ana)).toMatchObject({ device: { udid: 'other-2' } });
    const away = (rows: { udid: string; status: string }[]) =>
      rows.some(({ udid, status }) => udid === 'killed-1' && status === 'away');
    await until(() => devicesOf(hub, hub.admin), away, 40_000);
    expect(await recordOf(hub, lost, ana)).toMatchObject({ status: 'running' });
    expect((await command(hub.url, kept, '/timeouts', ana.headers)).status).toBe(200);
    const ended = await until(
      () => recordOf(hub, lost, ana),
      ({ status }) => status !== 'running',
      45_000,
    );
    expect(ended).toMatchObject({ status: 'failed', failureCategory: 'Session Lost' });
    expect((await command(hub.url, kept, '/timeouts', ana.headers)).status).toBe(200);
  });

  it("a node without its hub answers 503 for its sessions once the hub's keys are old, and lets nothing through (contract 8.1, 8.4)", async () => {
    const kept = await create(hub.url, ana, { 'appium:udid': 'other-1' }).catch(() => undefined);
    expect(kept).toBeUndefined();
    // A node that has no key yet, because its hub never responded.
    const alone = await startNode({ ...hub, url: 'http://127.0.0.1:9' }, { prefix: 'alone' });
    const token = `${'a'.repeat(30)}.${'b'.repeat(30)}.${'c'.repeat(85)}A`;
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'hub+jwt', kid: 'x' })).toString(
      'base64url',
    );
    const { status, body } = await createSession(alone.url, undefined, {
      headers: { 'x-svc-hub-token': token.replace(/^a+/, header) },
    });
    expect([status, body.value.error]).toEqual([503, 'session not created']);
  });
});

describe('a node that is cut off and heals (contract 8.1)', () => {
  let recorder: Recorder;
  afterAll(() => recorder?.close());

  it('a node that is cut off and heals has its session back, each command run once (contract 8.1)', {
    timeout: LONG_MS,
  }, async () => {
    const port = await freePort();
    recorder = await startRecorder(port);
    const hub = await startHub();
    await startNode(hub, { prefix: 'far', port, url: recorder.url });
    const ana = await makePerson(hub, hub.admin, 'ana@example.test');
    await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
    const id = await create(hub.url, ana, { 'appium:udid': 'far-1' });
    recorder.cut();
    const waiting = Array.from({ length: 5 }, (_, index) =>
      command(hub.url, id, '/timeouts', ana.headers, 'POST', { implicit: 1000 + index }),
    );
    await until(
      async () => recorder.waiting(),
      (count) => count === waiting.length,
    );
    recorder.heal();
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const sent = recorder.received().toString('latin1');
    for (let index = 0; index < 5; index++) expect(sent.split(`"implicit":${1000 + index}`)).toHaveLength(2);
  });
});
