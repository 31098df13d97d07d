import type { SourceDevice } from '../device.ts';
import type { DriverSession } from '../driver-session.ts';
import type { DeviceInput } from '../start-session.ts';
import type { SourceStreams } from './source-streams.ts';

/** Reports which devices exist. A source is, for example, a list from the operator, an adb server or a node. */
export interface DeviceSource {
  /** Unique name of the source in a lab: `configured`, `virtual`, `adb`, `ios`, or the name of a node. */
  readonly name: string;
  /**
   * Whether devices of the source come and go. If true, a device that is away stays in the list, even over a restart.
   * If false, the source is a fixed list, and a device that was removed from it is forgotten.
   */
  readonly comesAndGoes: boolean;
  /**
   * Whether a session on a device ends when the source no longer reports the device. False for a node, because the
   * session may still run there (contract 8.1).
   */
  readonly endsSessions: boolean;
  /**
   * Streams that the source itself produces for its devices. If absent, a device's streams come from the addresses
   * configured for it, or from adb.
   */
  readonly streams?: SourceStreams;
  /** Called once, before `start`, so that the source can follow which sessions run on its devices. */
  follow?(lab: LabSessions): void;
  /**
   * Starts to report devices. The source calls `report` with all devices that exist, immediately and after each change.
   * If two sources report the same device, it belongs to the source that was added first.
   */
  start(report: (devices: readonly SourceDevice[]) => void): void;
  /** Stops reporting devices. */
  stop(): void;
  /**
   * Sends an input, such as a tap, to a device of the source. Rejects with `InputFailed` if the device does not accept
   * it. If this method is absent, the driver of the session handles inputs.
   */
  input?(udid: string, input: DeviceInput, session: SessionInput): Promise<void>;
}

/** Access to the sessions of the lab, for a source that follows which sessions run on its devices. */
export interface LabSessions {
  readonly sessions: { running(): readonly DriverSession[] };
  /** Adds a listener that is called once for each session that starts. The listener must not throw. */
  onStart(report: (started: DriverSession) => void): void;
  /** Adds a listener that is called once for each session that ends. The listener must not throw. */
  onEnd(report: (ended: DriverSession) => void): void;
}

/** The session on the device to which an input is sent. */
export interface SessionInput {
  /** Lets the driver of the session handle the input. */
  drive(): Promise<void>;
  /**
   * Restarts the session's idle time-out (`newCommandTimeout`). Needed if the driver does not handle the input, because
   * only commands to the driver restart the time-out.
   */
  keepAlive(): Promise<void>;
}
