import type { AsyncLocalStorage } from 'node:async_hooks';
import type { GateContext } from '@svc/webdriver-gate';
import { appiumDriver } from './appium.ts';
import type { UmbrellaDriver } from './appium-types.ts';

type Create = (...sets: unknown[]) => Promise<unknown>;

/** Hook of svc, which reserves a phone, decides on the capabilities and records the session. */
export type CreateHook = (
  next: () => Promise<unknown>,
  driver: unknown,
  sets: readonly unknown[],
) => Promise<unknown>;

/**
 * Runs svc's hook also for create-session requests of clients that no plugin passes to svc. A plugin after svc in
 * `--use-plugins`, such as relaxed-caps, can call the method of Appium's driver itself, and Appium then skips the hooks
 * of all other plugins. Sessions would start without a reserved phone and an owner (contract 14.1). Wraps the method of
 * Appium's driver, unless this release of Appium has no such class.
 * @returns the hook for the requests that Appium passes to svc
 */
export function hookCreates(contexts: AsyncLocalStorage<GateContext>, create: CreateHook): CreateHook {
  /** Requests for which the hook has begun. */
  const hooked = new WeakSet<GateContext>();
  const prototype = appiumDriver()?.prototype as { createSession?: Create } | undefined;
  const original = prototype?.createSession;
  if (prototype !== undefined && original !== undefined)
    prototype.createSession = function (this: UmbrellaDriver, ...sets: unknown[]) {
      const context = contexts.getStore();
      const isDirect = (context?.kind === 'create' || context?.kind === 'probe') && !hooked.has(context);
      return isDirect ? create(() => original.apply(this, sets), this, sets) : original.apply(this, sets);
    };
  return (next, driver, sets) => {
    const context = contexts.getStore();
    if (context !== undefined) hooked.add(context);
    return create(next, driver, sets);
  };
}
