import type { AsyncLocalStorage } from 'node:async_hooks';
import type { GateContext } from '@svc/webdriver-gate';
import { appiumDriver } from './appium.ts';
import type { UmbrellaDriver } from './appium-types.ts';

type Create = (...sets: unknown[]) => Promise<unknown>;

interface DirectCreateOptions {
  readonly contexts: AsyncLocalStorage<GateContext>;
  /** Hook of svc, which reserves a phone, decides on the capabilities and records the session. */
  readonly create: (
    next: () => Promise<unknown>,
    driver: UmbrellaDriver,
    sets: readonly unknown[],
  ) => Promise<unknown>;
}

/**
 * Runs svc's hook also for create-session requests of clients that no plugin passes to svc. A plugin after svc in
 * `--use-plugins`, such as relaxed-caps, can call the method of Appium's driver itself, and Appium then skips the hooks
 * of all other plugins. Sessions would start without a reserved phone and an owner (contract 14.1).
 */
export class DirectCreates {
  readonly #options: DirectCreateOptions;
  /** Requests for which the hook has begun. */
  readonly #hooked = new WeakSet<GateContext>();

  constructor(options: DirectCreateOptions) {
    this.#options = options;
  }

  /** Marks the current request as one for which the hook runs. */
  hooked(): void {
    const context = this.#options.contexts.getStore();
    if (context !== undefined) this.#hooked.add(context);
  }

  /** Wraps the method of Appium's driver. Has no effect if this release of Appium has no such class. */
  watch(): void {
    const prototype = appiumDriver()?.prototype as { createSession?: Create } | undefined;
    const original = prototype?.createSession;
    if (prototype === undefined || original === undefined) return;
    const { contexts, create } = this.#options;
    const hooked = this.#hooked;
    prototype.createSession = function (this: UmbrellaDriver, ...sets: unknown[]) {
      const context = contexts.getStore();
      const isDirect = (context?.kind === 'create' || context?.kind === 'probe') && !hooked.has(context);
      const next = () => original.apply(this, sets);
      return isDirect ? create(next, this, sets) : next();
    };
  }
}
