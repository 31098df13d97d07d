import type { DeviceSource } from './device-source.ts';

/**
 * State of a phone that is plugged into this host. Only a `ready` phone becomes a device of the lab.
 * - `unauthorized`: the phone does not trust this host, which somebody has to confirm on the phone.
 * - `no permissions`: the user of the adb server may not open the USB device.
 */
export type PluggedState = 'ready' | 'unauthorized' | 'offline' | 'no permissions' | 'other';

/** A phone that is plugged into this host, whether or not the lab uses it. */
export interface PluggedPhone {
  readonly udid: string;
  readonly name: string | null;
  readonly osVersion: string | null;
  readonly state: PluggedState;
}

/** Result of a look at a program on this host that knows plugged-in phones. */
export interface HostLook {
  /** Whether the program answers. */
  readonly answers: boolean;
  /** The phones that the program knows. Empty if it does not answer. */
  readonly phones: readonly PluggedPhone[];
}

export const NOTHING_THERE: HostLook = { answers: false, phones: [] };

/** Source of the phones that are plugged into this host. */
export interface HostSource extends DeviceSource {
  /** Returns what the source sees now, without a request. */
  seen(): HostLook;
}

/** A program on this host that knows plugged-in phones, such as an adb server. svc never starts it. */
export interface HostPhones {
  /** Name of the kind, which is also the name of its source. */
  readonly name: 'adb' | 'ios';
  /** Address at which the program is expected, as people read it. */
  readonly address: string;
  /** Environment variable that decides whether the lab uses these phones. */
  readonly variable: string;
  /** Value of that variable, or null if it is not set, so that an Admin decides. */
  readonly fixed: boolean | null;
  /** Asks the program once which phones it has, within a short time. Never rejects. */
  look(): Promise<HostLook>;
  /** Creates the source that follows the phones. */
  source(): HostSource;
}
