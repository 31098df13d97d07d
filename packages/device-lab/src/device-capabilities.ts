import { isRecord, matchedViews } from '@svc/auth-core';
import { CREDENTIAL_NAMESPACES } from '@svc/contract';
import type { DeviceFamily } from './allocate-device.ts';

const UDID = 'appium:udid';
/** Name of a capability that is an object. Appium reads each name in this object as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
/** Capabilities that restrict a session to one family of Apple devices (specification 9.2, release 2.14). */
const FAMILIES: readonly (readonly [string, DeviceFamily])[] = [
  ['iPhoneOnly', 'iPhone'],
  ['iPadOnly', 'iPad'],
];
/** Names of capabilities that are objects. A field of such an object has the meaning of a capability with a prefix. */
const NAMESPACES = [OPTIONS, ...CREDENTIAL_NAMESPACES];
const PREFIXES = ['appium:', 'svc:'];
const LOOKED_AT = [
  UDID,
  'platformName',
  ...NAMESPACES,
  ...FAMILIES.flatMap(([name]) => PREFIXES.map((prefix) => `${prefix}${name}`)),
];

interface RequestedDevice {
  readonly udid: string | null;
  readonly platform: string | null;
  readonly families: readonly DeviceFamily[];
}

/**
 * Reads which device the capabilities request. Each `firstMatch` entry is combined with `alwaysMatch`. The first
 * combination that contains a udid decides, or the first combination if none contains a udid.
 * @returns the udid and the platform of this combination, each null if it is missing, and the families of Apple devices
 * to which it restricts the session
 */
export function requestedDevice(capabilities: unknown): RequestedDevice {
  const views = matchedViews(capabilities, LOOKED_AT);
  const view = views.find((each) => udidOf(each) !== null) ?? views[0] ?? {};
  const platform = view.platformName;
  return {
    udid: udidOf(view),
    platform: typeof platform === 'string' ? platform : null,
    families: FAMILIES.filter(([name]) => isOn(view, name)).map(([, family]) => family),
  };
}

function isOn(view: Record<string, unknown>, name: string): boolean {
  const prefixed = PREFIXES.map((prefix) => `${prefix}${name}`);
  if (prefixed.some((each) => view[each] === true)) return true;
  return NAMESPACES.some((namespace) => {
    const fields = view[namespace];
    return isRecord(fields) && [name, ...prefixed].some((each) => fields[each] === true);
  });
}

function udidOf(view: Record<string, unknown>): string | null {
  const options = view[OPTIONS];
  const value = view[UDID] ?? (isRecord(options) ? (options.udid ?? options[UDID]) : undefined);
  return typeof value === 'string' ? value : null;
}
