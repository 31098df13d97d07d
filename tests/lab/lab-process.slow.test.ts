import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { describe, expect, test } from 'vitest';
import {
  freePort,
  freshDataDir,
  labInfo,
  makeToken,
  request,
  runNode,
  signIn,
  startLab,
} from '../support/lab.ts';
import { createSession, readyLines } from './support/lab.ts';

const resolve = createRequire(import.meta.url).resolve;

describe('the local lab', () => {
  test('the local lab says once that it is ready, who may sign in and what comes next (contract 5, 9)', async () => {
    const lab = await startLab();
    const { port } = new URL(lab.url);
    expect(readyLines(lab.stdout())).toEqual([`svc ready on ${lab.url}`]);
    expect(lab.stdout()).toContain(DEFAULT_ADMIN_EMAIL);
    expect(lab.stdout()).toContain(DEFAULT_ADMIN_PASSWORD);
    expect(lab.stdout()).toContain(`port: ${port}`);

    expect(lab.stdout().match(/Enforced: .*/g)).toEqual([
      'Enforced: sign-in ON; session credentials OFF; command check OFF; trusted proxies NONE',
    ]);
    expect(lab.stdout()).not.toContain('listens beyond this machine');

    const { url, basePath, capabilities } = await labInfo(lab.url);
    expect({ url, basePath }).toEqual({ url: lab.url, basePath: '' });
    expect(capabilities).toMatchObject({
      platformName: 'Fake',
      'appium:automationName': 'Fake',
      'appium:deviceName': 'Fake',
    });
    expect(lab.stdout()).toContain(String(capabilities['appium:app']));
    expect((await lab.api('/health')).status).toBe(200);
    expect(await lab.stop()).toMatchObject({ code: 0 });
    expect(readyLines(lab.output())).toHaveLength(1);
  });

  test('the printed command signs a terminal in at this server (contract 10.7)', async () => {
    const lab = await startLab();
    // `readme.slow.test.ts` runs this command, which the page of WebdriverIO contains, too.
    expect(lab.stdout()).toContain(`npx -y pnpm@10 svc login ${lab.url}\n`);
    await lab.stop();
  });

  test('the local lab ends within five seconds under a running session and a client that never finishes (contract 9)', async () => {
    const lab = await startLab();
    const { status } = await createSession(lab);
    expect(status).toBe(200);
    const pair = await makeToken(lab.url, await signIn(lab.url));
    const socket = await halfARequest(lab.url);
    const stopped = await lab.stop();
    socket.destroy();
    expect(stopped).toMatchObject({ code: 0, signal: null });
    expect(stopped.tookMs).toBeLessThan(5000);

    const again = await startLab({ dataDir: lab.dataDir });
    expect((await again.api('/auth/me', { headers: pair.headers })).status).toBe(200);
    await again.stop();
  });

  test('a taken port is told before anything is written', async () => {
    const lab = await startLab();
    const { port } = new URL(lab.url);
    const dataDir = freshDataDir();
    const other = runNode(resolve('@svc/lab/main.js'), { env: { PORT: port, SVC_DATA_DIR: dataDir } });
    expect(await other.exited).toMatchObject({ code: 1 });
    expect(other.output()).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(readyLines(other.output())).toEqual([]);
    expect(readdirSync(dataDir)).toEqual([]);
    expect((await lab.api('/health')).status).toBe(200);
    await lab.stop();
  });

  test('the local lab never runs without the plugin: one that cannot be loaded ends the start', async () => {
    const preload = fileURLToPath(new URL('broken-plugin.mjs', import.meta.url));
    const port = await freePort();
    const lab = runNode(resolve('@svc/lab/main.js'), {
      env: { PORT: String(port), SVC_DATA_DIR: freshDataDir(), NODE_OPTIONS: `--import=${preload}` },
    });
    expect((await lab.exited).code).toBe(1);
    expect(lab.output()).toContain('broken on purpose');
    expect(readyLines(lab.output())).toEqual([]);
    await expect(request(`http://127.0.0.1:${port}/status`)).rejects.toThrow();
  });
});

/** Opens a connection and sends an incomplete request. */
function halfARequest(url: string) {
  const { hostname, port } = new URL(url);
  return new Promise<ReturnType<typeof connect>>((open, failed) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', failed);
    socket.write(
      'POST /session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      () => open(socket),
    );
  });
}
