import { isRecord } from '@svc/contract';
import type { InnerDriver } from './appium-types.ts';

const NAMES = ['webDriverAgentUrl', 'appium:webDriverAgentUrl'];
const HIDDEN = 'the WebDriverAgent of the phone';

/**
 * Removes the address of a phone's WebDriverAgent from the capabilities that the driver returns and keeps for its
 * clients. The address gives control of the phone without svc (contract 14.6). The driver itself reads its options,
 * which keep the address.
 */
export function hideAgentAddress(
  capabilities: Record<string, unknown>,
  driver: Pick<InnerDriver, 'caps' | 'originalCaps'> | undefined,
): void {
  const original = driver?.originalCaps;
  const always = isRecord(original) ? original.alwaysMatch : undefined;
  for (const kept of [capabilities, driver?.caps, original, always])
    if (isRecord(kept)) for (const name of NAMES) delete kept[name];
}

/** Replaces the address in the message of a driver's error. */
export function hideAddressIn(error: unknown, address: string): void {
  if (!(error instanceof Error) || !error.message.includes(address)) return;
  error.message = error.message.replaceAll(address, HIDDEN);
  error.stack = '';
}
