import type { DeviceSource } from './device-source.ts';

/** Devices that the program around this service provides, such as the virtual phones of the local lab (contract 9). */
export interface LocalLab {
  /**
   * Sources that report these devices. If a device in the settings has the same id, it has priority over these sources,
   * and these sources have priority over plugged-in phones.
   */
  readonly sources: readonly DeviceSource[];
  /** Capabilities that match any of these devices. `GET /svc/lab.json` returns them. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}
