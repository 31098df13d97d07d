import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  freePort,
  freshDataDir,
  makeToken,
  type RunningServer,
  request,
  runNode,
  signIn,
  startLab,
} from '../support/lab.ts';
import { endOf, logOf, read, recordOf, until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

interface Device {
  readonly udid: string;
  readonly status: string;
}

const preload = fileURLToPath(new URL('crash-on-signal.mjs', import.meta.url));
const idOf = async (lab: RunningServer, person: Person, capabilities = {}) =>
  (await createSession(lab.url, pairOf(person), { capabilities })).body.value.sessionId;

describe('how a session ends', () => {
  let lab: RunningServer;
  let ana: Person;

  beforeAll(async () => {
    lab = await startLab({ env: { NODE_OPTIONS: `--import=${preload}` } });
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  });
  afterAll(() => lab?.stop());

  const busy = async () =>
    (await read<Device[]>(lab, ana.headers, '/devices')).filter(({ status }) => status === 'busy');

  it('a running one says whose it is, on which phone, since when, with what (contract 2 /sessions)', async () => {
    const before = Date.now();
    const answer = await createSession(lab.url, { ...pairOf(ana), healingTiers: [2, 1] });
    const record = await recordOf(lab, ana.headers, answer.body.value.sessionId);
    expect(record).toMatchObject({
      status: 'running',
      owner: { id: ana.userId, email: 'ana@example.org' },
      device: { udid: 'virtual-1', platform: 'Fake' },
      node: null,
      name: null,
      endedAt: null,
      failureCategory: null,
      failureReason: null,
      tags: [],
      healingTiers: [2, 1],
    });
    expect(Date.parse(record.startedAt)).toBeGreaterThanOrEqual(before);
    expect(record.capabilities).toMatchObject({ deviceName: 'Fake' });
    expect(JSON.stringify(record)).not.toContain(ana.token);
    await request(`${lab.url}/session/${record.id}`, { method: 'DELETE' });
  });

  it('a session ended by its client has no failure, and its phone is free (contract 2 /sessions)', async () => {
    const id = await idOf(lab, ana);
    expect(await busy()).toHaveLength(1);
    await request(`${lab.url}/session/${id}`, { method: 'DELETE' });
    expect(await recordOf(lab, ana.headers, id)).toMatchObject({
      status: 'ended',
      failureCategory: null,
      failureReason: null,
      endedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    expect(await busy()).toEqual([]);
  });

  it('idle: Timeout with the automation server’s own reason (specification 6)', async () => {
    const [first, second] = await Promise.all([
      idOf(lab, ana, { 'appium:newCommandTimeout': 1 }),
      idOf(lab, ana, { 'appium:newCommandTimeout': 1 }),
    ]);
    for (const id of [first, second]) {
      expect(await endOf(lab, ana.headers, id)).toMatchObject({
        status: 'failed',
        failureCategory: 'Timeout',
        failureReason: expect.stringMatching(/^New Command Timeout of 1 seconds expired\./),
      });
    }
    expect(await busy()).toEqual([]);
  });

  it('a session whose driver breaks down is Session Lost with the driver’s reason (specification 9.2)', async () => {
    const id = await idOf(lab, ana);
    lab.child.kill('SIGUSR2');
    expect(await endOf(lab, ana.headers, id)).toMatchObject({
      status: 'failed',
      failureCategory: 'Session Lost',
      failureReason: 'The device went away',
    });
    expect(await busy()).toEqual([]);
  });

  it('a status that a session reported stays: passed, although it timed out afterwards (contract 6.5)', async () => {
    const id = await idOf(lab, ana, { 'appium:newCommandTimeout': 1 });
    await request(`${lab.url}/session/${id}/execute/sync`, {
      method: 'POST',
      json: { script: 'svc: setSessionStatus', args: [{ status: 'passed' }] },
    });
    expect(await endOf(lab, ana.headers, id)).toMatchObject({ status: 'passed', failureCategory: 'Timeout' });
  });
});

describe('when the server goes down', () => {
  it('a session that ran when the server went down is a Hub Restart, however it went down, and an ended one stays ended (specification 9.1.4, 9.2)', async () => {
    let lab = await startLab();
    const ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
    const over = await idOf(lab, ana);
    await request(`${lab.url}/session/${over}`, { method: 'DELETE' });
    for (const [signal, reason] of [
      ['SIGTERM', /SIGTERM/],
      ['SIGKILL', /the server was restarted/],
    ] as const) {
      const running = await Promise.all([idOf(lab, ana), idOf(lab, ana)]);
      await request(`${lab.url}/session/${running[0]}/orientation`);
      await lab.stop(signal);
      lab = await startLab({ dataDir: lab.dataDir });
      for (const id of running) {
        expect(await recordOf(lab, ana.headers, id)).toMatchObject({
          status: 'failed',
          failureCategory: 'Hub Restart',
          failureReason: expect.stringMatching(reason),
          endedAt: expect.any(String),
        });
      }
      // After a crash, the last second of the log may be missing; after a regular end, nothing may be missing.
      if (signal === 'SIGTERM') expect(await logOf(lab, ana.headers, running[0])).toHaveLength(1);
    }
    expect(await recordOf(lab, ana.headers, over)).toMatchObject({ status: 'ended', failureCategory: null });
    const devices = await read<Device[]>(lab, ana.headers, '/devices');
    expect(devices.map(({ status }) => status)).toEqual(['free', 'free', 'free', 'free']);
    await lab.stop();
  });
});

describe('--session-override', () => {
  it('the session that had to go is Session Lost, and known to be over (appium-notes 6)', async () => {
    const package_ = createRequire(import.meta.url).resolve('@svc/lab/package.json');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const dataDir = freshDataDir();
    const args = ['server', '--address', '127.0.0.1', '--port', String(port), '--use-plugins', 'svc'];
    const appium = runNode(createRequire(package_).resolve('appium'), {
      env: { APPIUM_HOME: dirname(package_), SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' },
      args: [...args, '--session-override', '--log-no-colors'],
    });
    await appium.line(/REST http interface listener started/);
    const pair = await makeToken(url, await signIn(url));
    const app = createRequire(import.meta.url)
      .resolve('@svc/lab/package.json')
      .replace('package.json', 'app/notes.xml');
    const create = async () => {
      const answer = await request(`${url}/session`, {
        method: 'POST',
        json: {
          capabilities: {
            alwaysMatch: {
              platformName: 'Fake',
              'appium:automationName': 'Fake',
              'appium:deviceName': 'Fake',
              'appium:app': app,
              'svc:options': pairOf(pair),
            },
          },
        },
      });
      return ((await answer.json()) as { value: { sessionId: string } }).value.sessionId;
    };
    const first = await create();
    const second = await create();
    const record = async (id: string) => {
      const answer = await request(`${url}/svc/api/session/${id}`, { headers: pair.headers });
      return (await answer.json()) as {
        status: string;
        failureCategory: string | null;
        failureReason: string;
      };
    };
    expect(
      await until(
        () => record(first),
        ({ status }) => status !== 'running',
      ),
    ).toMatchObject({
      status: 'failed',
      failureCategory: 'Session Lost',
      failureReason: expect.stringContaining('--session-override'),
    });
    expect(await record(second)).toMatchObject({ status: 'running' });
    await request(`${url}/session/${second}`, { method: 'DELETE' });
    expect(await record(second)).toMatchObject({ status: 'ended', failureCategory: null });
    await appium.stop();
  });
});
