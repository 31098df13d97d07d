import type { DeviceSource } from './device-source.ts';

/**
 * State of a phone that is plugged into this host. Only a `ready` phone becomes a device of the lab.
 * - `unauthorized`: the phone does not trust this host. Somebody must confirm on the phone that it trusts the host.
 * - `no permissions`: the user account of the adb server is not allowed to open the USB device.
 */
export type PluggedState = 'ready' | 'unauthorized' | 'offline' | 'no permissions' | 'other';

/** A phone that is plugged into this host, whether or not the lab uses it. */
export interface PluggedPhone {
  readonly udid: string;
  readonly name: string | null;
  readonly osVersion: string | null;
  readonly state: PluggedState;
}

/** Result of asking a program on this host, such as an adb server, which phones are plugged in. */
export interface HostLook {
  /** Whether the program responded. */
  readonly answers: boolean;
  /** The phones that the program listed. Empty if it did not respond. */
  readonly phones: readonly PluggedPhone[];
}

export const NOTHING_THERE: HostLook = { answers: false, phones: [] };

/** Source of the phones that are plugged into this host. */
export interface HostSource extends DeviceSource {
  /** Returns the phones that the program listed last, without querying it again. */
  seen(): HostLook;
}

/** A program on this host that lists the plugged-in phones, such as an adb server. svc never starts the program. */
export interface HostPhones {
  /** Name for the phones of this program. It is also the name of their source. */
  readonly name: 'adb' | 'ios';
  /** Address at which the lab looks for the program, as shown to Admins. */
  readonly address: string;
  /** Environment variable that decides whether the lab uses these phones. */
  readonly variable: string;
  /** Value of `variable` in the environment. Null if the variable is not set; an Admin then decides. */
  readonly fixed: boolean | null;
  /** Queries the program once for its phones, with a short time limit. Never rejects. */
  look(): Promise<HostLook>;
  /** Creates a source that reports these phones to the lab while they are plugged in. */
  source(): HostSource;
}
