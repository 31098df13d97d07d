import { isRecord, matchedViews } from '@svc/auth-core';

const UDID = 'appium:udid';
/** Appium reads each name in this object as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const LOOKED_AT = [UDID, OPTIONS, 'platformName'];

/** @returns the udid in the first view that has one, and the platform of that view or else of the first view */
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

/** Puts the udid of this device, and no other, into every view, in place, because Appium may pick any of the views. */
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
