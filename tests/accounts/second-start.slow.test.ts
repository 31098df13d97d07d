import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  freshDataDir,
  labInfo,
  makeToken,
  type RunningServer,
  request,
  runNode,
  signIn,
  startApi,
  startLab,
} from '../support/lab.ts';
import { bodyOf } from './support/json.ts';

const { resolve } = createRequire(import.meta.url);
const API = resolve('@svc/api/main.js');
const LAB = resolve('@svc/lab/main.js');
const CLI = resolve('@svc/cli/main.js');

const environment = (dataDir: string) => ({ PORT: '0', SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' });

/** How the message describes the running server. */
const nameOf = ({ child, url }: RunningServer) => `process ${child.pid} at ${new URL(url).host}`;

describe('a second server on the data of a running one', () => {
  let first: RunningServer;
  let sessionId: string;

  beforeAll(async () => {
    first = await startLab();
    const { headers } = await makeToken(first.url, await signIn(first.url));
    const { capabilities } = await labInfo(first.url);
    const created = await request(`${first.url}/session`, {
      method: 'POST',
      headers,
      json: {
        capabilities: {
          alwaysMatch: {
            ...capabilities,
            'svc:options': { accessKey: headers['x-svc-access-key'], token: headers['x-svc-token'] },
          },
        },
      },
    });
    sessionId = (await bodyOf(created)).value.sessionId;
  });
  afterAll(() => first?.stop());

  const statusOf = async () => {
    const cookie = await signIn(first.url);
    return (await bodyOf(first.api(`/session/${sessionId}`, { headers: { cookie } }))).status;
  };

  it.each([
    ['the API alone', API],
    ['the lab, with Appium', LAB],
  ])('%s does not start, names the first, and ends none of its sessions', async (_, program) => {
    const second = runNode(program, { env: environment(first.dataDir) });
    expect((await second.exited).code).not.toBe(0);
    expect(second.output()).toContain(nameOf(first));
    expect(second.output()).not.toContain('svc ready on');
    expect(await statusOf()).toBe('running');
  });

  it('the command line works beside it', async () => {
    const verify = runNode(CLI, { env: environment(first.dataDir), args: ['audit', 'verify'] });
    expect(await verify.exited).toMatchObject({ code: 0 });
  });

  it('a second server on the data of a running one starts at once when the first was killed', async () => {
    first.child.kill('SIGKILL');
    const second = await startApi({ dataDir: first.dataDir });
    expect((await second.api('/health')).status).toBe(200);
    await second.stop();
  });
});

it('two data folders with one database are one lab: the second server does not start', async () => {
  const database = join(freshDataDir(), 'shared.db');
  const env = { SVC_DATABASE_URL: `file:${database}` };
  const first = await startApi({ env });
  const second = runNode(API, { env: { ...environment(freshDataDir()), ...env } });
  expect(await second.exited).toMatchObject({ code: 1 });
  expect(second.output()).toContain(nameOf(first));
  expect((await first.api('/health')).status).toBe(200);
  await first.stop();
  await (await startApi({ env })).stop();
});
