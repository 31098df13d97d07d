import type { SourceDevice } from '../device.ts';

/** Says which devices are there: a list of the operator, an adb server, a node. */
export interface DeviceSource {
  /** One each in a lab: `configured`, `virtual`, `adb`, the name of a node. */
  readonly name: string;
  /**
   * Whether its devices come and go, so that those that are away are remembered over a restart. What a list no longer
   * has is gone for good.
   */
  readonly comesAndGoes: boolean;
  /** Whether a session is lost when its device is no longer reported; on a node, it may go on (contract 8.1). */
  readonly endsSessions: boolean;
  /**
   * Reports all devices that are there, at once and again whenever that changes. A device of two sources belongs to
   * the one that was started first.
   */
  start(report: (devices: readonly SourceDevice[]) => void): void;
  /** It reports nothing any more. */
  stop(): void;
}
