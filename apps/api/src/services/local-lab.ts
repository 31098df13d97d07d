import type { DeviceSource } from '@svc/device-lab';

/** Devices that the host program of this service provides, such as the virtual phones of the local lab (contract 9). */
export interface LocalLab {
  /**
   * Sources that report these devices. If two sources report the same device, it belongs to the settings first, then to
   * these sources, and last to adb.
   */
  readonly sources: readonly DeviceSource[];
  /** Capabilities that match any of these devices. `GET /svc/lab.json` returns them. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}
