import { describe, expect, it } from 'vitest';
import { type AppiumOptions, runAppium, startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';

const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true' };
const STARTED = /REST http interface listener started/;

/** A start that must be refused: how it ended and what it said. */
async function refusedStart(options: AppiumOptions): Promise<string> {
  const appium = await runAppium(options);
  expect(await appium.exited, appium.output()).toMatchObject({ code: 1 });
  expect(appium.output()).not.toMatch(STARTED);
  await expect(request(`${appium.url}/status`)).rejects.toThrow();
  return appium.output();
}

/** Writes what is sent to the server into the log, ahead of everything svc can do about it. */
const LEAK = `
  static async updateServer(app, server) {
    server.on('connection', (socket) => socket.on('data', (data) => log.debug('got ' + data)));
  }
`;

describe('(spec 5.5) the start-up check with a made-up secret', () => {
  it.each([
    ['before', { SVC_REQUIRE_SESSION_TOKEN: 'true' }],
    ['after', STRICT],
  ])('strict modes refuse to start and say where it shows up, the leak loaded %s svc', async (place, env) => {
    const plugins = place === 'before' ? ['leak', 'svc'] : ['svc', 'leak'];
    const output = await refusedStart({ env, plugins, own: { leak: LEAK }, args: ['--log-level', 'info'] });
    expect(output).toMatch(/A secret of a session create shows up in the log: \[leak\] \(debug\) .*<secret>/);
    expect(output).toContain('Not starting.');
  });

  it('others warn and start', async () => {
    const appium = await startAppium({ plugins: ['leak', 'svc'], own: { leak: LEAK } });
    expect(appium.output()).toContain('shows up in the log: [leak]');
    expect((await request(`${appium.url}/status`)).status).toBe(200);
    await appium.stop();
  });

  it('a chain that does not answer as it should counts as not proven', async () => {
    const own = { deaf: `async createSession() { throw new Error('nothing comes through'); }` };
    const output = await refusedStart({ env: STRICT, plugins: ['svc', 'deaf'], own });
    expect(output).toContain('Whether secrets stay out of the log could not be checked');
  });

  it('a sound chain is proven in passing: no session, no phone, no secret', async () => {
    const appium = await startAppium({ env: STRICT, args: ['--log-level', 'debug'] });
    expect(appium.output()).toContain('the start-up check of svc starts no session');
    expect(appium.output()).not.toContain('canary-');
    expect(appium.output()).not.toContain('Session created');
    await appium.stop();
  });
});

describe('(spec 5.7.9) the check cannot be placed ahead of the routes', () => {
  const FRONT = 'Another plugin has put itself in front of svc';
  it.each([
    ['a request listener in front', `server.prependListener('request', () => {});`],
    ['a request listener behind', `server.on('request', () => {});`],
    ['a way around for Expect', `server.on('checkContinue', (req, res) => app(req, res));`],
    ['another way around for Expect', `server.on('checkExpectation', (req, res) => app(req, res));`],
    ['an upgrade listener', `server.on('upgrade', (req, socket) => socket.destroy());`],
    [
      'another emit',
      `const { emit } = server; server.emit = function (...a) { return emit.apply(this, a); };`,
    ],
    ['the listeners taken away', `server.removeAllListeners('request'); server.on('request', app);`],
  ])('%s: refuses to start', async (_what, code) => {
    const own = { front: `static async updateServer(app, server) { ${code} }` };
    const appium = await runAppium({ env: STRICT, plugins: ['svc', 'front'], own });
    expect(await appium.exited, appium.output()).toMatchObject({ code: 1 });
    expect(appium.output()).toMatch(new RegExp(`${FRONT}|could not be checked`));
  });

  it.each(['/svc', '/a:b'])(
    'a base path that hides or blurs the routes (%s) refuses to start',
    async (path) => {
      expect(await refusedStart({ args: ['--base-path', path] })).toContain(`base path ${path}`);
    },
  );
});
