import { expect } from 'vitest';
import { type AppiumOptions, runAppium } from '../../support/appium.ts';
import { request } from '../../support/lab.ts';

export const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true' };
const STARTED = /REST http interface listener started/;

/**
 * Runs a start that must be refused.
 * @returns its output
 */
export async function refusedStart(options: AppiumOptions): Promise<string> {
  const appium = await runAppium(options);
  expect(await appium.exited, appium.output()).toMatchObject({ code: 1 });
  expect(appium.output()).not.toMatch(STARTED);
  await expect(request(`${appium.url}/status`)).rejects.toThrow();
  return appium.output();
}

/** Code of a plugin that logs requests before svc can prevent it. */
export const LEAK = `
  static async updateServer(app, server) {
    server.on('connection', (socket) => socket.on('data', (data) => log.debug('got ' + data)));
  }
`;

/** Expects that the server refuses to start with a plugin that is loaded after svc and replaces the check. */
export async function expectRefusedPlacement(code: string): Promise<void> {
  const own = { front: `static async updateServer(app, server) { ${code} }` };
  const output = await refusedStart({ env: STRICT, plugins: ['svc', 'front'], own });
  expect(output).toMatch(/Another plugin has put itself in front of svc|could not be checked/);
}
