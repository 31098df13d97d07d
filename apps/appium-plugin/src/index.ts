import type { Server } from 'node:http';
import type { ExpressApp } from './appium-types.ts';
import type { Mount } from './mount.ts';

type AnyClass = new (...args: never[]) => object;

/** Nothing in this file may throw on import: Appium would log that the plugin failed, and run unprotected. */
let base: AnyClass = class {};
let broken: unknown;
try {
  base = (await import('./appium.ts')).BasePlugin;
} catch (error) {
  broken = error;
}

/** Mounts by HTTP server. A process may run several Appium servers, and sessions share instances of the plugin. */
const mounts = new WeakMap<object, Mount>();
/**
 * Mounts that do not listen yet. Appium gives the server to its driver only when it listens, after the start-up check.
 */
const starting = new Set<Mount>();

/** The class that Appium loads. It has no state, and loads the rest of the plugin when the server starts. */
export class SvcPlugin extends base {
  /** An error in this method stops the server, which is right if the gate cannot be placed. */
  static async updateServer(
    expressApp: ExpressApp,
    httpServer: Server,
    cliArgs: Record<string, unknown>,
  ): Promise<void> {
    if (broken !== undefined) throw broken;
    const { mount } = await import('./mount.ts');
    const mounted = await mount(expressApp, httpServer, cliArgs);
    mounts.set(httpServer, mounted);
    starting.add(mounted);
    httpServer.once('listening', () => starting.delete(mounted));
  }

  createSession(next: () => Promise<unknown>, driver: Driver, ...sets: unknown[]): unknown {
    return mountAt(driver).createSession(next, driver, sets);
  }

  getAppiumSessions(next: () => Promise<unknown>, driver: Driver): unknown {
    return mountAt(driver).listSessions(next);
  }
}

interface Driver {
  readonly server?: object;
}

function mountAt({ server }: Driver): Mount {
  const mounted = server === undefined ? [...starting].find((each) => each.isProbing()) : mounts.get(server);
  if (mounted === undefined) throw new Error('svc is not mounted on this server');
  return mounted;
}
