import type { Server } from 'node:http';
import type { ExpressApp } from './appium-types.ts';
import type { Mount } from './mount.ts';

type AnyClass = new (...args: never[]) => object;

/**
 * Base class of the plugin, or an empty class if Appium's class cannot be imported. This file must not throw on import,
 * because Appium would only log that the plugin failed and would run unprotected. `updateServer` throws the error
 * later.
 */
let base: AnyClass = class {};
let broken: unknown;
try {
  base = (await import('./appium.ts')).BasePlugin;
} catch (error) {
  broken = error;
}

/**
 * What `mount` has installed on each HTTP server. It is stored by server and not in the plugin, because a process can
 * run several Appium servers, whose sessions share instances of the plugin.
 */
const mounts = new WeakMap<object, Mount>();
/**
 * Mounts whose server does not listen yet. Appium sets the `server` of a driver only when that server listens, but the
 * start-up check sends a create-session request earlier. For this request, `mountAt` searches this set.
 */
const starting = new Set<Mount>();

/**
 * Plugin class that Appium loads. It has no state and imports the rest of the plugin only when the server starts, so
 * that a failing import stops the server.
 */
export class SvcPlugin extends base {
  /**
   * Installs svc in front of the server. If that fails, Appium ends, because it must not run unprotected.
   */
  static async updateServer(
    expressApp: ExpressApp,
    httpServer: Server,
    cliArgs: Record<string, unknown>,
  ): Promise<void> {
    if (broken !== undefined) throw broken;
    const { mount } = await import('./mount.ts');
    const mounted = await mount(expressApp, httpServer, cliArgs).catch(refuseStart);
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

/**
 * Ends Appium with one line that says why svc refuses to start. Appium itself would log the error twice and print its
 * stack, in which the reason is hard to find.
 */
async function refuseStart(error: unknown): Promise<never> {
  const { logger } = await import('./appium.ts');
  const { message, cause } = error as Error;
  // The further lines of a cause are a list, for example of the paths where a file was looked for.
  const reason = cause instanceof Error ? `${message}: ${cause.message.split('\n', 1)[0]}` : message;
  logger.getLogger('svc').error(`${reason}. Not starting.`);
  process.exit(1);
}

interface Driver {
  readonly server?: object;
}

function mountAt({ server }: Driver): Mount {
  const mounted = server === undefined ? [...starting].find((each) => each.isProbing()) : mounts.get(server);
  if (mounted === undefined) throw new Error('svc is not mounted on this server');
  return mounted;
}
