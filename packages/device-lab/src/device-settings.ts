/** Team and tags an Admin gave a device; kept while it is away (contract 2, `/device`). */
export interface DeviceSetting {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  readonly teamId: string | null;
  readonly tags: readonly string[];
}

/** Synchronous like the other stores. */
export interface DeviceSettingStore {
  /** By udid. */
  all(): DeviceSetting[];
  /** Adds it or replaces the one of the same device. */
  save(setting: DeviceSetting): void;
}
