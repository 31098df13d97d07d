/**
 * What is kept of a device over a restart: its facts, and the team and tags that an Admin set (contract 2, `/device`).
 */
export interface DeviceSetting {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  readonly node: string | null;
  readonly teamId: string | null;
  readonly tags: readonly string[];
  /** When it was last present (ms since 1970), to the day, or null if its source is a list. */
  readonly lastSeenAt: number | null;
}

/** Synchronous like the other stores. */
export interface DeviceSettingStore {
  /** Sorted by udid. */
  all(): DeviceSetting[];
  /** Adds settings or replaces those of the same devices, all or none. */
  save(...settings: DeviceSetting[]): void;
  /** Removes all or none. Unknown ones are ignored. */
  remove(udids: readonly string[]): void;
}
