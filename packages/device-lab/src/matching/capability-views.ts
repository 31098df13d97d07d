import { CREDENTIAL_NAMESPACES, isRecord } from '@svc/contract';

type Fields = Readonly<Record<string, unknown>>;

const PREFIX = 'appium:';
/** Name of a capability that is an object. Appium reads each name in this object as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';

/** Capabilities with the prefix `appium:` that the matcher reads. The names are without the prefix. */
const APPIUM_NAMES = ['udid', 'platformVersion', 'deviceName', 'avd', 'automationName'] as const;
type AppiumName = (typeof APPIUM_NAMES)[number];
const FLAGS = ['iPhoneOnly', 'iPadOnly'] as const;
type Flag = (typeof FLAGS)[number];

/**
 * The capabilities of one view that matter for the choice of a phone. A view is a `firstMatch` entry that is merged over
 * `alwaysMatch` (contract 6.1).
 */
export interface CapabilityView {
  /** Position of the entry in `firstMatch`; 0 if there are no entries. */
  readonly index: number;
  readonly platformName: string | null;
  /** Texts of the capabilities, or null where they are absent, empty or no text. */
  readonly appium: Readonly<Record<AppiumName, string | null>>;
  readonly flags: ReadonlySet<Flag>;
  /** Values of `device` and `tags` in `svc:options` or `lab:options`; null where they are absent. */
  readonly device: unknown;
  readonly tags: unknown;
}

/** @returns the views of W3C capabilities in their order; one view without fields if there is no entry to merge */
export function capabilityViews(capabilities: unknown): CapabilityView[] {
  const { alwaysMatch, firstMatch } = isRecord(capabilities) ? capabilities : {};
  const always = promoted(isRecord(alwaysMatch) ? alwaysMatch : {});
  const entries = Array.isArray(firstMatch) && firstMatch.some(isRecord) ? firstMatch : [{}];
  return entries.flatMap((entry, index) => (isRecord(entry) ? [viewOf(index, always, promoted(entry))] : []));
}

/**
 * Reads the names that matter from one set of capabilities, and moves the members of `appium:options` to the top, where
 * they replace members of the same name, as Appium does. A name without a prefix is read as well, because a plugin such
 * as relaxed-caps adds the prefix later. A value of null counts as not set.
 */
function promoted(scope: Fields): Fields {
  const options = isRecord(scope[OPTIONS]) ? scope[OPTIONS] : {};
  const found: Record<string, unknown> = {};
  const keep = (name: string, ...values: readonly unknown[]): void => {
    const value = values.find((each) => each != null);
    if (value !== undefined) found[name] = value;
  };
  keep('platformName', own(scope, 'platformName'));
  for (const name of [...APPIUM_NAMES, ...FLAGS]) {
    const prefixed = `${PREFIX}${name}`;
    keep(name, own(options, prefixed), own(options, name), own(scope, prefixed), own(scope, name));
  }
  for (const name of FLAGS) keep(`svc:${name}`, own(scope, `svc:${name}`), own(options, `svc:${name}`));
  for (const name of CREDENTIAL_NAMESPACES)
    keep(name, own(scope, name), own(options, `${PREFIX}${name}`), own(options, name));
  return found;
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function viewOf(index: number, always: Fields, entry: Fields): CapabilityView {
  const view = { ...always, ...entry };
  const namespaces = CREDENTIAL_NAMESPACES.map((name) => view[name]).filter(isRecord);
  const inNamespaces = (name: string) =>
    namespaces.map((each) => own(each, name)).find((each) => each != null);
  const appium = Object.fromEntries(APPIUM_NAMES.map((name) => [name, textOf(view[name])]));
  const isOn = (flag: Flag): boolean =>
    [view[flag], view[`svc:${flag}`]].includes(true) ||
    namespaces.some((each) =>
      [flag, `${PREFIX}${flag}`, `svc:${flag}`].some((name) => own(each, name) === true),
    );
  return {
    index,
    platformName: textOf(view.platformName),
    appium: appium as CapabilityView['appium'],
    flags: new Set(FLAGS.filter(isOn)),
    device: inNamespaces('device') ?? null,
    tags: inNamespaces('tags') ?? null,
  };
}

/** @returns the text of a capability. A number counts as text, because clients send versions as numbers, too. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
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
