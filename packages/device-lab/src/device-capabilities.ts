import { isRecord, matchedViews } from '@svc/auth-core';

const UDID = 'appium:udid';
/** Appium reads each name in here as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const LOOKED_AT = [UDID, OPTIONS, 'platformName'];

/** The device a session asks for: the first view that names one decides, else the first view's platform. */
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

/** Makes every view name this device and no other, in place: whichever view Appium picks, it is allowed there. */
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
