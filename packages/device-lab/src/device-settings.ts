/** What is kept of a device over a restart: what it is, and the team and tags an Admin gave it (contract 2, `/device`). */
export interface DeviceSetting {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  readonly node: string | null;
  readonly teamId: string | null;
  readonly tags: readonly string[];
  /** When it was there last (ms), to the day; null: it is of a list, which itself says what there is. */
  readonly lastSeenAt: number | null;
}

/** Synchronous like the other stores. */
export interface DeviceSettingStore {
  /** By udid. */
  all(): DeviceSetting[];
  /** Adds them or replaces those of the same devices, all or none. */
  save(...settings: DeviceSetting[]): void;
  /** All or none; no effect on unknown ones. */
  remove(udids: readonly string[]): void;
}
