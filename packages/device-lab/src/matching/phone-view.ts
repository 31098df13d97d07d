import { CREDENTIAL_NAMESPACES, isRecord } from '@svc/contract';
import { type Condition, containsText, onFact, sameTextAs, versionOf } from './condition.ts';
import { deviceConditions, tagsCondition } from './device-object.ts';
import { fitsVersion } from './version.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What one view of the capabilities requires of its phone (contract 14.3). A view is a `firstMatch` entry that is merged
 * over `alwaysMatch` (contract 6.1).
 */
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

const PREFIX = 'appium:';
/** Name of a capability that is an object. Appium reads each name in this object as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const AUTO = 'auto';
/** Capabilities that restrict a session to one family of Apple devices (specification 9.2, release 2.14). */
const FAMILIES = { iPhoneOnly: 'iPhone', iPadOnly: 'iPad' };
/** Platforms and drivers of a session on the desktop of the host, which takes no phone (contract 14.3). */
const DESKTOP_PLATFORMS = ['linux', 'mac', 'windows'];
const DESKTOP_DRIVERS = ['chromium', 'gecko', 'safari', 'mac2', 'windows'];

/** One set of capabilities, and the content of `appium:options` in it. */
interface CapabilitySet {
  readonly set: Fields;
  readonly options: Fields;
}

/**
 * Reads what W3C capabilities require of a phone, one view after the other; one view without requirements if there is no
 * entry to merge.
 * @throws UnusableCondition if `svc:options.device` or `svc:options.tags` of a view cannot be used
 */
export function phoneViews(capabilities: unknown): PhoneView[] {
  const { alwaysMatch, firstMatch } = isRecord(capabilities) ? capabilities : {};
  const always = setOf(isRecord(alwaysMatch) ? alwaysMatch : {});
  const entries = Array.isArray(firstMatch) && firstMatch.some(isRecord) ? firstMatch : [{}];
  return entries.flatMap((entry, index) => (isRecord(entry) ? viewOf(index, setOf(entry), always) : []));
}

/** @returns the view that only names a phone by its udid. The capabilities stay unchanged. */
export function viewOfUdid(udid: string): PhoneView {
  const conditions = [udidCondition(udid)];
  return { index: null, takesPhone: true, conditions, deviceName: null, udid, platform: null, tags: [] };
}

/**
 * Keeps only one view of W3C capabilities, in place, so that the driver cannot start the session with another one than
 * the reserved phone was chosen for (contract 14.3). Has no effect if there is only one view, or if an entry is no
 * object, because Appium refuses such capabilities.
 */
export function keepView(capabilities: unknown, index: number): void {
  if (!isRecord(capabilities) || !Array.isArray(capabilities.firstMatch)) return;
  const { firstMatch } = capabilities;
  if (firstMatch.length > 1 && firstMatch.every(isRecord)) capabilities.firstMatch = [firstMatch[index]];
}

function setOf(set: Fields): CapabilitySet {
  return { set, options: isRecord(set[OPTIONS]) ? set[OPTIONS] : {} };
}

function viewOf(index: number, entry: CapabilitySet, always: CapabilitySet): PhoneView {
  const sets = [entry, always];
  const namespaces = CREDENTIAL_NAMESPACES.map((name) => svcValue(sets, name)).filter(isRecord);
  const device = fieldOf(namespaces, 'device');
  const tags = fieldOf(namespaces, 'tags');
  const described = device === null ? [] : deviceConditions('svc:options.device', device);
  const tagged = tags === null ? [] : [tagsCondition('svc:options.tags', tags)];
  const platform = textOf(own(entry.set, 'platformName') ?? own(always.set, 'platformName'));
  const named = textOf(appiumValue(sets, 'udid'));
  const udid = named !== null && sameTextAs(named)(AUTO) ? null : named;
  const deviceName = textOf(appiumValue(sets, 'deviceName'));
  const shared = { index, deviceName, udid, platform, tags: tagsIn(device, tags) };
  const desktop = desktopCondition(platform, textOf(appiumValue(sets, 'automationName')));
  if (desktop !== undefined) return { ...shared, takesPhone: false, conditions: [desktop] };
  const version = textOf(appiumValue(sets, 'platformVersion'));
  const avd = textOf(appiumValue(sets, 'avd'));
  const conditions = [
    ...(platform === null ? [] : [platformCondition(platform)]),
    ...(udid === null ? [] : [udidCondition(udid)]),
    ...(version === null ? [] : [versionCondition(version)]),
    ...familyConditions(sets, namespaces),
    ...(avd === null ? [] : [avdCondition(avd)]),
    ...described,
    ...tagged,
  ];
  return { ...shared, takesPhone: true, conditions };
}

/**
 * Returns the value of an Appium capability, or null if it is not set. A member of `appium:options` replaces one of the
 * same name beside it, as in Appium. A name without the prefix counts as well, because a plugin such as relaxed-caps
 * adds the prefix later. A value of null counts as not set.
 */
function appiumValue(sets: readonly CapabilitySet[], name: string): unknown {
  const prefixed = `${PREFIX}${name}`;
  for (const { set, options } of sets) {
    const value = own(options, prefixed) ?? own(options, name) ?? own(set, prefixed) ?? own(set, name);
    if (value != null) return value;
  }
  return null;
}

/** Returns the value of a capability of svc, or null if it is not set. */
function svcValue(sets: readonly CapabilitySet[], name: string): unknown {
  for (const { set, options } of sets) {
    const value = own(set, name) ?? own(options, `${PREFIX}${name}`) ?? own(options, name);
    if (value != null) return value;
  }
  return null;
}

/** Returns the value of the first of these objects that sets the field, or null. */
function fieldOf(objects: readonly Fields[], name: string): unknown {
  for (const fields of objects) {
    const value = own(fields, name);
    if (value != null) return value;
  }
  return null;
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** @returns the text of a capability. A number counts as text, because clients send versions as numbers, too. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** @returns the tags of a view whose `device` and `tags` were validated before */
function tagsIn(device: unknown, tags: unknown): readonly string[] {
  const inDevice = (device as { readonly tags?: readonly string[] | null } | null)?.tags ?? [];
  return [...new Set([...inDevice, ...((tags as readonly string[] | null) ?? [])])];
}

/** @returns a condition that no phone fits and that names the capability, or undefined if the view takes a phone */
function desktopCondition(platform: string | null, driver: string | null): Condition | undefined {
  if (platform !== null && DESKTOP_PLATFORMS.some(sameTextAs(platform)))
    return never('platformName', platform, ({ device }) => [device.platform]);
  if (driver !== null && DESKTOP_DRIVERS.some(sameTextAs(driver)))
    return never('appium:automationName', driver, () => []);
  return undefined;
}

function never(capability: string, wanted: string, has: Condition['has']): Condition {
  return { capability, wanted, holds: () => false, has };
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

/** Creates the conditions for `iPhoneOnly` and `iPadOnly`, as capabilities or as fields of `svc:options`. */
function familyConditions(sets: readonly CapabilitySet[], namespaces: readonly Fields[]): Condition[] {
  const conditions: Condition[] = [];
  for (const [flag, family] of Object.entries(FAMILIES)) {
    const isOn =
      appiumValue(sets, flag) === true ||
      svcValue(sets, `svc:${flag}`) === true ||
      namespaces.some((each) =>
        [flag, `${PREFIX}${flag}`, `svc:${flag}`].some((name) => own(each, name) === true),
      );
    if (isOn)
      conditions.push({
        capability: `appium:${flag}`,
        wanted: 'true',
        holds: ({ device }) => containsText(device.name, family),
        has: ({ device }) => [device.name],
      });
  }
  return conditions;
}
