import { describe, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { expectRefusedPlacement, LEAK, refusedStart, STRICT } from './support/refused-start.ts';

describe('the start-up check with a made-up secret (spec 5.5)', () => {
  it.each([
    ['before', { SVC_REQUIRE_SESSION_TOKEN: 'true' }],
    ['after', STRICT],
  ])('strict modes refuse to start and say where it shows up, the leak loaded %s svc', async (place, env) => {
    const plugins = place === 'before' ? ['leak', 'svc'] : ['svc', 'leak'];
    const output = await refusedStart({ env, plugins, own: { leak: LEAK }, args: ['--log-level', 'info'] });
    expect(output).toMatch(
      /A secret of a create-session request appears in the log: \[leak\] \(debug\) .*<secret>/,
    );
    expect(output).toContain('Not starting.');
  });

  it('others warn and start', async () => {
    const appium = await startAppium({ plugins: ['leak', 'svc'], own: { leak: LEAK } });
    expect(appium.output()).toContain('appears in the log: [leak]');
    expect((await request(`${appium.url}/status`)).status).toBe(200);
    await appium.stop();
  });

  it('a chain that does not answer as it should counts as not proven', async () => {
    const own = { deaf: `async createSession() { throw new Error('nothing comes through'); }` };
    const output = await refusedStart({ env: STRICT, plugins: ['svc', 'deaf'], own });
    expect(output).toContain('Whether secrets stay out of the log could not be checked');
  });
});

describe('the check cannot be placed ahead of the routes (spec 5.7.9)', () => {
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
  ])('%s: refuses to start', (_what, code) => expectRefusedPlacement(code));

  it.each(['/svc', '/a:b'])(
    'a base path that hides or blurs the routes (%s) refuses to start',
    async (path) => {
      expect(await refusedStart({ args: ['--base-path', path] })).toContain(`base path ${path}`);
    },
  );
});
