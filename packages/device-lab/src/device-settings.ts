/**
 * Data about a device that survives a restart: its description, and the team, tags, name and note that an Admin set
 * (contract 2, `/device`).
 */
export interface DeviceSetting {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  readonly node: string | null;
  readonly teamId: string | null;
  readonly tags: readonly string[];
  /** Name that an Admin gave the device, or null if it has the name that its source reports. */
  readonly givenName: string | null;
  /** Note of an Admin about the device, or null. */
  readonly note: string | null;
  /**
   * Time at which the device was last connected (ms since 1970), accurate to the day, or null for a device from a fixed
   * list in the configuration.
   */
  readonly lastSeenAt: number | null;
}

/** Stores device settings. The methods are synchronous, because the database is SQLite in the same process. */
export interface DeviceSettingStore {
  /** Returns all settings, sorted by udid. */
  all(): DeviceSetting[];
  byUdid(udid: string): DeviceSetting | undefined;
  /** Adds settings, or replaces those of the same devices. Either all are written or none. */
  save(...settings: DeviceSetting[]): void;
  /** Removes the settings of these devices. Either all are removed or none; unknown udids are ignored. */
  remove(udids: readonly string[]): void;
}
