import { isRecord, matchedViews } from '@svc/auth-core';

const UDID = 'appium:udid';
/** Name of a capability that is an object. Appium reads each name in this object as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const LOOKED_AT = [UDID, OPTIONS, 'platformName'];

/**
 * Reads which device the capabilities request. Each `firstMatch` entry is combined with `alwaysMatch`. The first
 * combination that contains a udid decides, or the first combination if none contains a udid.
 * @returns the udid and the platform of this combination, each null if it is missing
 */
export function requestedDevice(capabilities: unknown): { udid: string | null; platform: string | null } {
  const views = matchedViews(capabilities, LOOKED_AT);
  const view = views.find((each) => udidOf(each) !== null) ?? views[0] ?? {};
  const platform = view.platformName;
  return { udid: udidOf(view), platform: typeof platform === 'string' ? platform : null };
}

function udidOf(view: Record<string, unknown>): string | null {
  const options = view[OPTIONS];
  const value = view[UDID] ?? (isRecord(options) ? (options.udid ?? options[UDID]) : undefined);
  return typeof value === 'string' ? value : null;
}

/**
 * Writes the udid of the reserved device into `alwaysMatch` and removes every other udid, in place. Appium may pick any
 * `firstMatch` entry, so none may name another device.
 */
export function assignDevice(capabilities: Record<string, unknown>, udid: string): void {
  const { alwaysMatch, firstMatch } = capabilities;
  for (const entry of [alwaysMatch, ...(Array.isArray(firstMatch) ? firstMatch : [])]) {
    if (!isRecord(entry)) continue;
    delete entry[UDID];
    const options = entry[OPTIONS];
    if (!isRecord(options)) continue;
    delete options.udid;
    delete options[UDID];
  }
  capabilities.alwaysMatch = { ...(isRecord(alwaysMatch) ? alwaysMatch : {}), [UDID]: udid };
}
