import { isRecord } from '@svc/contract';
import { CreateRefused } from '../create-refused.ts';
import { HOST_CAPABILITIES, type HostCapability } from './host-capabilities.ts';

type Fields = Record<string, unknown>;

/**
 * Members that hold further capabilities, in lower case and without the prefix `appium:`. Appium moves the content of
 * `appium:options` one level up, twice, so `appium:options` can be in itself.
 */
const CONTAINERS = new Set([
  'capabilities',
  'alwaysmatch',
  'firstmatch',
  'desiredcapabilities',
  'requiredcapabilities',
  'options',
  // Code that copies a member of this name sets the prototype of the copy, from which other code then reads.
  '__proto__',
]);
const REPEATED_PREFIX = /^(?:\s*appium\s*:)+/i;

/** How a lab treats the capabilities of the table. */
export interface DecidedOptions {
  /** False if sign-in is off, so that the table does not apply (contract 14.1). */
  readonly applies: boolean;
  /** Names without prefix that clients may set themselves (`SVC_HOST_CAPABILITIES`). */
  readonly allowed: readonly string[];
}

/** What is known about the place of a session when the table is applied. */
export interface Place {
  /** The reserved device, or null if none was reserved. */
  readonly device: { readonly udid: string; readonly platform: string } | null;
  /** Whether the lab has devices. In a lab without devices, the driver chooses one by the client's capabilities. */
  readonly hasDevices: boolean;
}

const APPLE_PLATFORMS = new Set(['ios', 'tvos', 'watchos', 'ipados']);

export function isApple(platform: string): boolean {
  return APPLE_PLATFORMS.has(platform.toLowerCase());
}

/** Options of a browser driver, such as `goog:chromeOptions`, in which a client can name a phone or an address. */
const BROWSER_OPTIONS = /^(?:[\w-]+:)?(?:chrome|edge|firefox)options$/;
/** Members of these options that reach a phone or an address of the host. They are refused if no phone is reserved. */
const REACHING = new Set(['androiddeviceserial', 'androidpackage', 'debuggeraddress']);

/** Applies the table of contract 14.1 to the capabilities of create-session requests. */
export class DecidedCapabilities {
  /** Rows by their name in lower case, without those that the operator leaves to the clients. */
  readonly #rows: ReadonlyMap<string, HostCapability>;

  constructor({ applies, allowed }: DecidedOptions) {
    const left = new Set(allowed.map((name) => name.toLowerCase()));
    // The lab always decides on the udid, because it has reserved the phone.
    left.delete('udid');
    const rows = applies ? HOST_CAPABILITIES.filter(({ name }) => !left.has(name.toLowerCase())) : [];
    this.#rows = new Map(rows.map((row) => [row.name.toLowerCase(), row]));
  }

  /** Returns whether the lab decides on a capability, so that no client can set it. */
  decidesOn(name: string): boolean {
    return this.#rows.has(name.toLowerCase());
  }

  /**
   * Throws `CreateRefused` if a create-session request contains a refused capability, whatever its value is. A
   * value of `null` counts as not set, as in WebDriver.
   * @param sets all sets of capabilities of the request
   * @param mayHaveOwn returns whether the session may get a phone whose WebDriverAgent the lab knows, so that the
   * client's address of one is not refused, but dropped
   */
  check(sets: readonly Fields[], mayHaveOwn: () => boolean = () => false): void {
    if (this.#rows.size === 0) return;
    for (const fields of sets) {
      for (const [given, value] of Object.entries(fields)) {
        const row = value === null ? undefined : this.#rows.get(capabilityName(given));
        if (row?.treatment !== 'refused' || (row.isSetForOwn && mayHaveOwn())) continue;
        throw decidedHere(`appium:${row.name}`);
      }
    }
  }

  /**
   * Removes every capability that the lab decides on from legacy capabilities. The device is not chosen by them, and
   * some servers merge them with the W3C capabilities.
   */
  dropFromLegacy(body: Readonly<Fields>): void {
    const { desiredCapabilities, requiredCapabilities } = body;
    this.#drop(capabilitySets([desiredCapabilities, requiredCapabilities]), () => true);
  }

  /**
   * Removes every capability that the lab decides on, in place, whichever entry of `firstMatch` a driver takes. Throws
   * `CreateRefused` if the capabilities reach a phone although none is reserved.
   */
  drop(sets: readonly Fields[], { device, hasDevices }: Place): void {
    if (this.#rows.size === 0) return;
    if (device === null && hasDevices) for (const fields of sets) refuseReaching(fields);
    this.#drop(sets, ({ describes }) => {
      if (describes === undefined) return true;
      if (device === null) return hasDevices && describes === 'every';
      return describes === 'every' || isApple(device.platform);
    });
  }

  #drop(sets: readonly Fields[], applies: (row: HostCapability) => boolean): void {
    for (const fields of sets) {
      for (const given of Object.keys(fields)) {
        const row = this.#rows.get(capabilityName(given));
        if (row !== undefined && applies(row)) delete fields[given];
      }
    }
  }
}

/**
 * A desktop browser driver can drive Chrome or Firefox on any phone that adb lists, and can attach to any browser that
 * listens on the host. So a session without a reserved phone must name neither.
 */
function refuseReaching(fields: Fields): void {
  for (const [given, options] of Object.entries(fields)) {
    if (!BROWSER_OPTIONS.test(capabilityName(given)) || !isRecord(options)) continue;
    const reaching = Object.keys(options).find((name) => REACHING.has(name.trim().toLowerCase()));
    if (reaching !== undefined) throw decidedHere(`${given}.${reaching}`);
  }
}

/**
 * Writes the udid of the reserved device and other values of the lab into `alwaysMatch`, in place, and removes every
 * other value of these capabilities from all `sets`. Leaves the names alone for which `isOfClient` returns true.
 */
export function writeDecided(
  capabilities: Fields,
  sets: readonly Fields[],
  values: Readonly<Fields>,
  isOfClient: (name: string) => boolean,
): void {
  const names = new Set<string>();
  const written: Fields = {};
  for (const [name, value] of Object.entries(values)) {
    if (isOfClient(name)) continue;
    names.add(name.toLowerCase());
    written[`appium:${name}`] = value;
  }
  for (const fields of sets)
    for (const given of Object.keys(fields)) if (names.has(capabilityName(given))) delete fields[given];
  const { alwaysMatch } = capabilities;
  capabilities.alwaysMatch = { ...(isRecord(alwaysMatch) ? alwaysMatch : {}), ...written };
}

function decidedHere(name: string): CreateRefused {
  return new CreateRefused('capability', `svc decides on ${name}; leave it out`);
}

/**
 * Returns the name by which a driver may read a capability, in lower case. Appium's server and its driver each remove
 * one prefix `appium:`, so `appium:appium:udid` is a udid, too. Other letter cases and white space are no names of the
 * drivers, but a plugin or another server in front of a driver may correct them.
 */
export function capabilityName(given: string): string {
  return given.replace(REPEATED_PREFIX, '').trim().toLowerCase();
}

/**
 * Returns every object of a create-session request whose members can be capabilities: `alwaysMatch`, each entry of
 * `firstMatch`, `appium:options` of each, and the legacy `desiredCapabilities` and `requiredCapabilities`.
 * @param root the body of the request, or its W3C capabilities
 */
export function capabilitySets(root: unknown): Fields[] {
  const found: Fields[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...value);
    if (!isRecord(value)) continue;
    found.push(value);
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null && CONTAINERS.has(capabilityName(name)))
        open.push(inner);
    }
  }
  return found;
}

/** Returns every value that the request gives a capability, in any of its sets. `name` is in lower case. */
export function valuesOf(sets: readonly Fields[], name: string): unknown[] {
  const values: unknown[] = [];
  for (const fields of sets)
    for (const given of Object.keys(fields)) if (capabilityName(given) === name) values.push(fields[given]);
  return values;
}
