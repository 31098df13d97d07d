import type { DeviceSource } from '@svc/device-lab';

/** Devices that the host of this service brings, such as the virtual phones of the local lab (contract 9). */
export interface LocalLab {
  /** Started after the listed devices and before adb. */
  readonly sources: readonly DeviceSource[];
  /** Capabilities that match any of these devices, for `GET /svc/lab.json`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}
