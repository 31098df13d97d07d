import type { CapabilityView } from './capability-views.ts';
import { type Condition, sameTextAs } from './condition.ts';

const PLATFORMS = ['linux', 'mac', 'windows'];
const DRIVERS = ['chromium', 'gecko', 'safari', 'mac2', 'windows'];

/**
 * Returns whether a view starts a session on the desktop of the host, which takes no phone (contract 14.3).
 * @returns a condition that no phone fits and that names the capability, or undefined if the view takes a phone
 */
export function desktopCondition({ platformName, appium }: CapabilityView): Condition | undefined {
  const { automationName } = appium;
  if (platformName !== null && PLATFORMS.some(sameTextAs(platformName)))
    return never('platformName', platformName, (platform) => [platform]);
  if (automationName !== null && DRIVERS.some(sameTextAs(automationName)))
    return never('appium:automationName', automationName, () => []);
  return undefined;
}

function never(capability: string, wanted: string, has: (platform: string) => readonly string[]): Condition {
  return { capability, wanted, holds: () => false, has: ({ device }) => has(device.platform) };
}
