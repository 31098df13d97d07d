import type { InnerDriver } from './appium-types.ts';

/**
 * Limits the time for which a session may be idle (`SVC_MAX_IDLE_SECONDS`). The limit is in the driver itself, because
 * default capabilities of the operator and the command `timeouts` also set this time.
 * @param most limit in seconds
 */
export async function limitIdleTime(driver: InnerDriver, most: number): Promise<void> {
  const mostMs = most * 1_000;
  const capped = (ms: unknown) => (typeof ms === 'number' && ms > 0 && ms <= mostMs ? ms : mostMs);
  let current = capped(driver.newCommandTimeoutMs);
  Object.defineProperty(driver, 'newCommandTimeoutMs', {
    configurable: true,
    enumerable: true,
    get: () => current,
    set: (ms: unknown) => {
      current = capped(ms);
    },
  });
  // The timer that Appium has just started has the old time.
  await driver.startNewCommandTimeout?.();
}
