import { type CapabilityView, capabilityViews } from './capability-views.ts';
import { type Condition, containsText, onFact, sameTextAs, versionOf } from './condition.ts';
import { desktopCondition } from './desktop.ts';
import { deviceConditions, tagsCondition } from './device-object.ts';
import { fitsVersion } from './version.ts';

/** What one view of the capabilities requires of its phone (contract 14.3). */
export interface PhoneView {
  /** Position of the view's entry in `firstMatch`, or null if the capabilities stay unchanged. */
  readonly index: number | null;
  /** False for a session on the desktop of the host, which takes no phone. */
  readonly takesPhone: boolean;
  readonly conditions: readonly Condition[];
  /**
   * Name or model of the phone, which counts only if a visible phone that fits otherwise has it. Null if the view names
   * none.
   */
  readonly deviceName: string | null;
  /** What the queue shows of the view: the udid, the platform and the tags that it names. */
  readonly udid: string | null;
  readonly platform: string | null;
  readonly tags: readonly string[];
}

const AUTO = 'auto';
/** Capabilities that restrict a session to one family of Apple devices (specification 9.2, release 2.14). */
const FAMILIES = { iPhoneOnly: 'iPhone', iPadOnly: 'iPad' } as const;

/**
 * Reads what W3C capabilities require of a phone, one view after the other.
 * @throws UnusableCondition if `svc:options.device` or `svc:options.tags` of a view cannot be used
 */
export function phoneViews(capabilities: unknown): PhoneView[] {
  return capabilityViews(capabilities).map(phoneViewOf);
}

/** @returns the view that only names a phone by its udid. The capabilities stay unchanged. */
export function viewOfUdid(udid: string): PhoneView {
  const conditions = [udidCondition(udid)];
  return { index: null, takesPhone: true, conditions, deviceName: null, udid, platform: null, tags: [] };
}

function phoneViewOf(view: CapabilityView): PhoneView {
  const { index, platformName, appium, device, tags } = view;
  const udid = appium.udid === null || sameTextAs(appium.udid)(AUTO) ? null : appium.udid;
  const own = device === null ? [] : deviceConditions('svc:options.device', device);
  const tagged = tags === null ? [] : [tagsCondition('svc:options.tags', tags)];
  const desktop = desktopCondition(view);
  const shared = { index, deviceName: appium.deviceName, udid, platform: platformName, tags: tagsOf(view) };
  if (desktop !== undefined) return { ...shared, takesPhone: false, conditions: [desktop] };
  const conditions = [
    ...(platformName === null ? [] : [platformCondition(platformName)]),
    ...(udid === null ? [] : [udidCondition(udid)]),
    ...(appium.platformVersion === null ? [] : [versionCondition(appium.platformVersion)]),
    ...familyConditions(view),
    ...(appium.avd === null ? [] : [avdCondition(appium.avd)]),
    ...own,
    ...tagged,
  ];
  return { ...shared, takesPhone: true, conditions };
}

/** @returns the tags of the view, which were validated before */
function tagsOf({ device, tags }: CapabilityView): readonly string[] {
  const inDevice = (device as { readonly tags?: readonly string[] | null } | null)?.tags ?? [];
  return [...new Set([...inDevice, ...((tags as readonly string[] | null) ?? [])])];
}

export function platformCondition(platform: string, capability = 'platformName'): Condition {
  return onFact(capability, platform, ({ device }) => device.platform, sameTextAs(platform));
}

export function udidCondition(udid: string, capability = 'appium:udid'): Condition {
  return onFact(
    capability,
    udid,
    ({ device }) => device.udid,
    (fact) => fact === udid,
  );
}

function versionCondition(version: string): Condition {
  return onFact('appium:platformVersion', version, versionOf, (fact) => fitsVersion(version, fact));
}

/** Creates the condition on the emulator's name. The Android drivers accept it with `@` and in any letter case, too. */
function avdCondition(avd: string): Condition {
  const name = avd.replace(/^@/, '');
  return onFact('appium:avd', avd, ({ device }) => device.avd, sameTextAs(name));
}

function familyConditions({ flags }: CapabilityView): Condition[] {
  return [...flags].map((flag) => ({
    capability: `appium:${flag}`,
    wanted: 'true',
    holds: ({ device }) => containsText(device.name, FAMILIES[flag]),
    has: ({ device }) => [device.name],
  }));
}
