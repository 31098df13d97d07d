import { describe, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { expectRefusedPlacement, LEAK, refusedStart, STRICT } from './support/refused-start.ts';

// `start.slow.test.ts` has the other ways to leak and to get in front.

describe('(spec 5.5) the start-up check with a made-up secret', () => {
  it('strict modes refuse to start and say where it shows up', async () => {
    const output = await refusedStart({
      env: { SVC_REQUIRE_SESSION_TOKEN: 'true' },
      plugins: ['leak', 'svc'],
      own: { leak: LEAK },
      args: ['--log-level', 'info'],
    });
    expect(output).toMatch(/A secret of a session create shows up in the log: \[leak\] \(debug\) .*<secret>/);
    expect(output).toContain('Not starting.');
  });

  it('a sound chain is proven in passing: no session, no phone, no secret', async () => {
    const appium = await startAppium({ env: STRICT, args: ['--log-level', 'debug'] });
    expect(appium.output()).toContain('the start-up check of svc starts no session');
    expect(appium.output()).not.toContain('canary-');
    expect(appium.output()).not.toContain('Session created');
    await appium.stop();
  });
});

it('(spec 5.7.9) a request listener in front of the check: refuses to start', () =>
  expectRefusedPlacement(`server.prependListener('request', () => {});`));
