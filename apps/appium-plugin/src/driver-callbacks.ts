import type { AsyncLocalStorage } from 'node:async_hooks';
import type { CallbackAddresses, GateContext, RunningCommands } from '@svc/webdriver-gate';
import type { InnerDriver, UmbrellaDriver } from './appium-types.ts';

interface DriverCallbackOptions {
  readonly addresses: Pick<CallbackAddresses, 'open'>;
  readonly running: Pick<RunningCommands, 'begin' | 'end'>;
  readonly contexts: AsyncLocalStorage<GateContext>;
}

/**
 * Replaces `serverPath` of each driver, in which Appium stores its base path, with a callback address. While a command
 * of the session runs, the driver and its plugins can send requests to the session at this address without the
 * credentials of the client (contract 7). For example, the child process of execute-driver attaches to the session at
 * this address. The address is created when the property is read, so a command that does not read it costs nothing.
 */
export class DriverCallbacks {
  readonly #options: DriverCallbackOptions;
  readonly #watched = new WeakSet<UmbrellaDriver>();
  readonly #offered = new WeakSet<InnerDriver>();
  /**
   * Create-session requests that count as a running command of the new session (see `during`), by the context of the
   * request.
   */
  readonly #creates = new WeakMap<GateContext, ReturnType<RunningCommands['begin']>>();

  constructor(options: DriverCallbackOptions) {
    this.#options = options;
  }

  /**
   * Calls `create` and counts it as a running command of the new session as soon as the driver has started. Plugins
   * that Appium calls after that can then already send requests to the session.
   */
  async during<T>(umbrella: UmbrellaDriver, create: () => Promise<T>): Promise<T> {
    if (!this.#watched.has(umbrella)) this.#watch(umbrella);
    const { contexts, running } = this.#options;
    const context = contexts.getStore();
    try {
      return await create();
    } finally {
      const command = context === undefined ? undefined : this.#creates.get(context);
      if (command !== undefined) running.end(command);
    }
  }

  /**
   * Wraps the method that Appium calls for each new session before it passes the session to any plugin, so that plugins
   * find the replaced `serverPath`.
   */
  #watch(umbrella: UmbrellaDriver): void {
    this.#watched.add(umbrella);
    const attach = umbrella.attachUnexpectedShutdownHandler;
    umbrella.attachUnexpectedShutdownHandler = (driver, id) => {
      this.#offer(driver, id);
      this.#begin(id);
      attach.call(umbrella, driver, id);
    };
  }

  #begin(id: string): void {
    const { running, contexts } = this.#options;
    const context = contexts.getStore();
    if (context?.kind !== 'create') return;
    const { admission } = context;
    const caller = admission.fromHub === undefined ? admission.caller : 'hub';
    // A request without credentials has no caller.
    if (caller !== null) this.#creates.set(context, running.begin(id, caller));
  }

  /**
   * Replaces `serverPath` of a driver by a property that creates a callback address when it is read. The property is
   * not enumerable, so that copying the properties of a driver creates no address.
   */
  #offer(driver: InnerDriver, id: string): void {
    if (this.#offered.has(driver)) return;
    this.#offered.add(driver);
    let path = driver.serverPath;
    Object.defineProperty(driver, 'serverPath', {
      configurable: true,
      enumerable: false,
      get: () => {
        const address = this.#options.addresses.open(id);
        return address === '' ? path : `${address}${path ?? ''}`;
      },
      set: (assigned: string | undefined) => {
        path = assigned;
      },
    });
  }
}
