import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runAppium, startAppium } from '../support/appium.ts';
import { request, signIn } from '../support/lab.ts';
import { expectRefusedPlacement, LEAK, refusedStart, STRICT } from './support/refused-start.ts';

// `start.slow.test.ts` tests the other ways to leak and to bypass.

describe('the start-up check with a made-up secret (spec 5.5)', () => {
  it('strict modes refuse to start and say where it shows up', async () => {
    const output = await refusedStart({
      env: { SVC_REQUIRE_SESSION_TOKEN: 'true' },
      plugins: ['leak', 'svc'],
      own: { leak: LEAK },
      args: ['--log-level', 'info'],
    });
    expect(output).toMatch(
      /A secret of a create-session request appears in the log: \[leak\] \(debug\) .*<secret>/,
    );
    expect(output).toContain('Not starting.');
  });

  it('the start-up check with a made-up secret logs one line when it passes: no session, no phone, no secret (spec 5.5)', async () => {
    const appium = await startAppium({ env: STRICT, args: ['--log-level', 'debug'] });
    const lines = appium.output().split('\n');
    expect(lines.filter((line) => line.includes('start-up check'))).toEqual([
      expect.stringMatching(/^\[svc\] The start-up check passed: /),
    ]);
    expect(appium.output()).not.toMatch(/canary-|Session created|\/session|createSession|error/i);
    await appium.stop();
  });

  it('the start-up check with a made-up secret prints what the server logged about its request when it fails (spec 5.5)', async () => {
    const output = await refusedStart({
      env: STRICT,
      plugins: ['svc', 'front'],
      own: { front: `async createSession() { throw new Error('no create reaches svc'); }` },
      args: ['--log-level', 'debug'],
    });
    expect(output).toContain('could not be checked');
    expect(output).toContain('[HTTP] --> POST /session');
  });
});

it('an unusable setting is the last line of a refused start, and the only one about it', async () => {
  const output = await refusedStart({
    env: { SVC_DRIVER_PORTS: 'none', SVC_JWT_ISSUER: 'x', SVC_ADB: 'no port' },
  });
  expect(output.match(/SVC_ADB/g)).toHaveLength(1);
  expect(output.trimEnd().split('\n').at(-1)).toMatch(
    /SVC_ADB is neither true, false nor host:port\. Not starting\.$/,
  );
  expect(output).not.toMatch(/\n +at /);
});

it('a request listener in front of the check: refuses to start (spec 5.7.9)', () =>
  expectRefusedPlacement(`server.prependListener('request', () => {});`));

describe('pages and API, which are built after the start', () => {
  it('a request to the pages or the API right after the start waits and is guarded as always, and a WebSocket is refused (contract 1)', async () => {
    const appium = await startAppium({ env: STRICT });
    const handshake = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const [socket, ...answers] = await Promise.all([
      rawStatus(appium.url, '/svc/api/events?ticket=none', handshake),
      ...['/auth/me', '/nothing', '/health'].map(async (path) => (await appium.api(path)).status),
      request(`${appium.url}/svc/sign-in`).then(({ status }) => status),
    ]);
    expect(answers).toEqual([401, 401, 200, 200]);
    expect([401, 503]).toContain(socket);
    expect(await rawStatus(appium.url, '/svc/api/events?ticket=none', handshake)).toBe(401);
    expect((await appium.stop()).code).toBe(0);
  });

  it('a server that stops before they were asked for stops cleanly', async () => {
    const appium = await startAppium();
    const { code, tookMs } = await appium.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
  });

  it('a server that cannot build them ends, whether asked for them or not', async () => {
    const preload = fileURLToPath(new URL('./without-fastify.cjs', import.meta.url));
    const appium = await runAppium({ preload });
    expect(await appium.exited).toMatchObject({ code: 1 });
    expect(appium.output()).toContain('The pages and the API cannot be built. Stopping.');
  });

  it('a sign-in right after a first start waits until the first account exists, and a command is refused meanwhile (contract 5)', async () => {
    const appium = await startAppium({ env: { ...STRICT, SVC_BCRYPT_COST: '13' } });
    expect(appium.output()).not.toContain('First start: created');
    const [command, cookie] = await Promise.all([
      request(`${appium.url}/session/none/url`),
      signIn(appium.url),
    ]);
    expect(command.status).toBe(404);
    expect(cookie).toContain('svc_dashboard_session=');
    expect(appium.output()).toContain('First start: created');
    expect((await appium.stop()).code).toBe(0);
  });

  it('a server that cannot create the first account ends (contract 5)', async () => {
    const preload = fileURLToPath(new URL('./without-threads.cjs', import.meta.url));
    const appium = await runAppium({ preload });
    expect(await appium.exited).toMatchObject({ code: 1 });
  });
});

/**
 * Sends headers that `fetch` does not send.
 * @returns the status of the response
 */
function rawStatus(url: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((done, failed) => {
    get(new URL(path, url), { headers, agent: false }, (answer) => {
      answer.resume();
      done(answer.statusCode);
    }).once('error', failed);
  });
}
