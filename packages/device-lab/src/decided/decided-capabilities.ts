import { isRecord } from '@svc/contract';
import { CreateRefused } from '../create-refused.ts';
import { capabilityName, capabilitySets } from './capability-sets.ts';
import { HOST_CAPABILITIES, type HostCapability } from './host-capabilities.ts';

type Fields = Record<string, unknown>;

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
