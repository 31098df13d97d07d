import { createRequire } from 'node:module';
import { SvcClient } from '@svc/client';
import { DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { describe, expect, test } from 'vitest';
import { freePort, labInfo, makeToken, request, runNode, signIn, startLab } from '../support/lab.ts';
import { createSession } from './support/lab.ts';

const resolve = createRequire(import.meta.url).resolve;

describe('the local lab', () => {
  test('the local lab keeps account, token and key when it is started again on its folder (contract 9)', async () => {
    const first = await startLab();
    const pair = await makeToken(first.url, await signIn(first.url));
    const before = await (await first.api('/auth/me', { headers: pair.headers })).json();
    const keys = await (await first.api('/auth/jwks.json')).json();
    expect(await first.stop()).toMatchObject({ code: 0 });

    const second = await startLab({ dataDir: first.dataDir });
    const after = await (await second.api('/auth/me', { headers: pair.headers })).json();
    expect(after).toEqual(before);
    expect(await (await second.api('/auth/jwks.json')).json()).toEqual(keys);
    await second.stop();
  });

  test('the local lab shows no password but the built-in one', async () => {
    const own = { email: 'owner@lab.test', password: 'a password of my own' };
    const lab = await startLab({
      env: { SVC_BOOTSTRAP_ADMIN_EMAIL: own.email, SVC_BOOTSTRAP_ADMIN_PASSWORD: own.password },
    });
    await signIn(lab.url, own.email, own.password);
    await lab.stop();
    expect(lab.output()).toContain(own.email);
    expect(lab.output()).not.toContain(own.password);
    expect(lab.output()).not.toContain(DEFAULT_ADMIN_PASSWORD);
  });

  test('a second signal does not cut the end short', async () => {
    const lab = await startLab();
    const stopping = lab.stop('SIGINT');
    lab.child.kill('SIGINT');
    lab.child.kill('SIGTERM');
    expect(await stopping).toMatchObject({ code: 0, signal: null });
  });

  test('a port that is none stops the start; other settings fall back with one warning each', async () => {
    const refused = runNode(resolve('@svc/lab/main.js'), { env: { PORT: 'many' } });
    expect(await refused.exited).toMatchObject({ code: 1 });
    expect(refused.output()).toContain('PORT is not a whole number');

    const port = await freePort();
    const lab = await startLab({
      env: { PORT: String(port), SVC_LAB_DEVICES: 'some', SVC_LAB_LOG_LEVEL: 'loud' },
    });
    expect(lab.url).toBe(`http://127.0.0.1:${port}`);
    expect(lab.output().match(/SVC_LAB_DEVICES/g)).toHaveLength(1);
    expect(lab.output().match(/SVC_LAB_LOG_LEVEL/g)).toHaveLength(1);
    expect(lab.stdout()).toContain('virtual-1 to virtual-4');
    await lab.stop();
  });

  test('WebDriver lives below the base path, the service does not (contract 1, 9)', async () => {
    const lab = await startLab({ env: { SVC_BASE_PATH: '/wd/hub' } });
    expect((await request(`${lab.url}/wd/hub/status`)).status).toBe(200);
    expect((await request(`${lab.url}/status`)).status).toBe(404);
    expect((await lab.api('/health')).status).toBe(200);
    expect((await request(`${lab.url}/wd/hub/svc/api/health`)).status).toBe(404);
    expect(await labInfo(lab.url)).toMatchObject({ url: lab.url, basePath: '/wd/hub' });
    expect(await createSession(lab)).toMatchObject({ status: 200 });
    await lab.stop();
  });

  test('the local lab gives out as many virtual phones as asked for, by name (contract 9)', async () => {
    const lab = await startLab({ env: { SVC_LAB_DEVICES: '2', SVC_LAB_DEVICE_PREFIX: 'shelf' } });
    const named = await createSession(lab, { 'appium:udid': 'shelf-2' });
    expect(named).toMatchObject({ status: 200, value: { capabilities: { udid: 'shelf-2' } } });
    expect(await createSession(lab)).toMatchObject({ value: { capabilities: { udid: 'shelf-1' } } });
    const third = await createSession(lab);
    expect(third.status).not.toBe(200);
    expect(third.value.message).toContain('busy');
    await lab.stop();
  });

  test('the local lab lists sessions only when asked to (contract 9)', async () => {
    const closed = await startLab();
    expect((await request(`${closed.url}/appium/sessions`)).status).toBe(500);
    await closed.stop();
    const open = await startLab({ env: { SVC_LAB_SESSION_DISCOVERY: 'true' } });
    const listed = await request(`${open.url}/appium/sessions`);
    expect({ status: listed.status, body: await listed.json() }).toEqual({
      status: 200,
      body: { value: [] },
    });
    await open.stop();
  });

  test('the log of the automation server is as loud as asked for (contract 9)', async () => {
    const [quiet, loud] = await Promise.all([
      startLab({ env: { SVC_LAB_LOG_LEVEL: 'error' } }),
      startLab({ env: { SVC_LAB_LOG_LEVEL: 'debug' } }),
    ]);
    await Promise.all([request(`${quiet.url}/status`), request(`${loud.url}/status`)]);
    await Promise.all([quiet.stop(), loud.stop()]);
    expect(quiet.stdout()).not.toContain('--> GET /status');
    expect(loud.stdout()).toContain('--> GET /status');
    expect(loud.stdout()).toContain('AppiumDriver.getStatus()');
  });
});

describe('the guided tour', () => {
  test('the guided tour goes as told and leaves nothing behind', async () => {
    const tour = runNode(resolve('@svc/lab/demo.js'));
    expect(await tour.exited, tour.output()).toMatchObject({ code: 0 });
    expect(tour.output()).toContain('All steps succeeded.');
  });
});

test('a virtual phone opens an app of the library (contract 2, /apps)', async () => {
  const lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'error' } });
  const admin = new SvcClient({ url: lab.url, credential: { cookie: await signIn(lab.url) } });
  const content = '<app><title>From the library</title><button id="only-here"/></app>';
  const { id } = await admin.uploadApp(new Blob([content]), 'mine.xml');
  const pair = await makeToken(lab.url, await signIn(lab.url));
  const { status, value } = await createSession(lab, {
    'appium:app': `svc:app/${id}`,
    'svc:options': { accessKey: pair.accessKey, token: pair.token },
  });
  expect(status).toBe(200);
  expect(value.capabilities.app ?? value.capabilities['appium:app']).toBe(`svc:app/${id}`);
  const source = await request(`${lab.url}/session/${value.sessionId}/source`);
  expect(await source.text()).toContain('only-here');
  await lab.stop();
});
