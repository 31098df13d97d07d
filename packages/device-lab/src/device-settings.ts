/** What an Admin has said about a phone; kept while the phone is away (contract 2, `/device`). */
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
  /** Adds it or replaces the one of the same phone. */
  save(setting: DeviceSetting): void;
}
