import type { Server } from 'node:http';
import type { ExpressApp } from './appium-types.ts';
import type { Mount } from './mount.ts';

type AnyClass = new (...args: never[]) => object;

/** A plugin whose import throws is only logged, and Appium runs on unprotected: so nothing here may throw. */
let base: AnyClass = class {};
let broken: unknown;
try {
  base = (await import('./appium.ts')).BasePlugin;
} catch (error) {
  broken = error;
}

/** By HTTP server: several Appium servers may live in one process, and plugin instances are shared by sessions. */
const mounts = new WeakMap<object, Mount>();
/** Appium gives its driver the server only once it listens; the start-up check runs before that. */
const starting = new Set<Mount>();

/** The plugin as Appium loads it. Keeps no state of its own; what it needs is loaded when the server starts. */
export class SvcPlugin extends base {
  /** A throw in here stops the server, which is what must happen when the gate cannot be placed. */
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
