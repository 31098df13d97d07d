import type { SourceDevice } from '../device.ts';
import type { DriverSession } from '../driver-session.ts';
import type { FrameSource } from '../previews/frame-relay.ts';
import type { LineSource } from '../previews/line-relay.ts';
import type { DeviceInput } from '../start-session.ts';

/** Reports which devices exist. A source may be a list from the operator, an adb server or a node. */
export interface DeviceSource {
  /** Unique name of the source in a lab: `configured`, `virtual`, `adb`, `ios`, or the name of a node. */
  readonly name: string;
  /**
   * Whether devices of the source come and go, so that absent ones are remembered over a restart. If false, the source
   * is a list, and a device that the list no longer contains is forgotten.
   */
  readonly comesAndGoes: boolean;
  /**
   * Whether a session is lost when the source no longer reports its device. False for a node, on which the session may
   * continue (contract 8.1).
   */
  readonly endsSessions: boolean;
  /**
   * Streams that the source itself produces for its devices. If absent, the streams come from the addresses of the
   * devices and from adb.
   */
  readonly streams?: SourceStreams;
  /** Called once, before `start`, with the sessions of the lab, so that the source can follow them. */
  follow?(lab: LabSessions): void;
  /**
   * Reports all devices that exist, immediately and again whenever they change. If two sources report the same device,
   * it belongs to the source that was started first.
   */
  start(report: (devices: readonly SourceDevice[]) => void): void;
  /** Stops reporting devices. */
  stop(): void;
  /**
   * Puts an input into a device of the source. Rejects with `InputFailed` if the device does not accept the input. If
   * this method is absent, the driver of the session handles inputs.
   */
  input?(udid: string, input: DeviceInput, session: SessionInput): Promise<void>;
}

/** Streams of devices by udid. Each method returns null if the device has no such stream. */
export interface SourceStreams {
  frames(udid: string): FrameSource | null;
  lines(udid: string): LineSource | null;
}

/** Access to the sessions of the lab, for a source that follows which sessions run on its devices. */
export interface LabSessions {
  readonly sessions: { running(): readonly DriverSession[] };
  /** Adds a listener that is called once for each session that starts. The listener must not throw. */
  onStart(report: (started: DriverSession) => void): void;
  /** Adds a listener that is called once for each session that ends. The listener must not throw. */
  onEnd(report: (ended: DriverSession) => void): void;
}

/** Session on the device into which an input is put. */
export interface SessionInput {
  /** Passes the input to the driver of the session, which puts it into the device. */
  drive(): Promise<void>;
  /** Restarts the idle time-out of the session. */
  keepAlive(): Promise<void>;
}
