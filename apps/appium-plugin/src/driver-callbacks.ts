import type { AsyncLocalStorage } from 'node:async_hooks';
import type { CallbackAddresses, GateContext, RunningCommands } from '@svc/webdriver-gate';
import type { InnerDriver, UmbrellaDriver } from './appium-types.ts';

interface DriverCallbackOptions {
  readonly addresses: Pick<CallbackAddresses, 'open'>;
  readonly running: Pick<RunningCommands, 'begin' | 'end'>;
  readonly contexts: AsyncLocalStorage<GateContext>;
}

type Create = Extract<GateContext, { kind: 'create' }>;

/**
 * Gives each driver a `serverPath`, where Appium says that it is hosted, at which it and its plugins reach their own
 * session while a command of it runs, without the credentials of the client (contract 7). Execute-driver's child
 * process is attached to the session by it. Reading the property opens an address, so a command that does not read it
 * costs nothing.
 */
export class DriverCallbacks {
  readonly #options: DriverCallbackOptions;
  readonly #watched = new WeakSet<UmbrellaDriver>();
  readonly #offered = new WeakSet<InnerDriver>();
  /** Ends the create as a running command, by its context. */
  readonly #creates = new WeakMap<GateContext, () => void>();

  constructor(options: DriverCallbackOptions) {
    this.#options = options;
  }

  /**
   * Calls `create`, during which the new session counts as one with a running command: plugins that Appium asks after
   * the driver has started may call back already.
   */
  async during<T>(umbrella: UmbrellaDriver, create: () => Promise<T>): Promise<T> {
    this.#watch(umbrella);
    const context = this.#options.contexts.getStore();
    try {
      return await create();
    } finally {
      if (context !== undefined) this.#creates.get(context)?.();
    }
  }

  /** Appium calls this method for each new session, before any plugin learns of it. */
  #watch(umbrella: UmbrellaDriver): void {
    if (this.#watched.has(umbrella)) return;
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
    const caller = context?.kind === 'create' ? callerOf(context) : null;
    if (context === undefined || caller === null) return;
    const command = running.begin(id, caller);
    this.#creates.set(context, () => running.end(command));
  }

  /** Not enumerable, so that no copy of a driver's properties opens an address. */
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

/** @returns null if the create was let in without credentials */
function callerOf({ admission }: Create): Parameters<RunningCommands['begin']>[1] | null {
  return admission.fromHub === undefined ? admission.caller : 'hub';
}
