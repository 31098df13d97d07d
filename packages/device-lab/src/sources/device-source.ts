import type { SourceDevice } from '../device.ts';
import type { DriverSession } from '../driver-session.ts';
import type { FrameSource } from '../previews/frame-relay.ts';
import type { LineSource } from '../previews/line-relay.ts';
import type { DeviceInput } from '../start-session.ts';

/** Reports which devices exist: a list from the operator, an adb server, a node. */
export interface DeviceSource {
  /** Unique in a lab: `configured`, `virtual`, `adb`, or the name of a node. */
  readonly name: string;
  /**
   * Whether its devices come and go, so that absent ones are remembered over a restart. A device that a list no
   * longer contains is forgotten.
   */
  readonly comesAndGoes: boolean;
  /** Whether a session is lost when its device is no longer reported. On a node it may go on (contract 8.1). */
  readonly endsSessions: boolean;
  /** Streams that the source itself produces for its devices. Without it, their addresses and adb are used. */
  readonly streams?: SourceStreams;
  /** Called once, before `start`, with the sessions of the lab. */
  follow?(lab: LabSessions): void;
  /**
   * Reports all devices that exist, immediately and again whenever they change. A device of two sources belongs to the
   * source that was started first.
   */
  start(report: (devices: readonly SourceDevice[]) => void): void;
  /** Stops reporting. */
  stop(): void;
  /**
   * Puts an input into one of its devices. Without it, the driver of the session does. Rejects with `InputFailed`.
   */
  input?(udid: string, input: DeviceInput, session: SessionInput): Promise<void>;
}

/** Streams of devices by udid, or null if there is none. */
export interface SourceStreams {
  frames(udid: string): FrameSource | null;
  lines(udid: string): LineSource | null;
}

/** The sessions of the lab, for a source that follows what runs on its devices. */
export interface LabSessions {
  readonly sessions: { running(): readonly DriverSession[] };
  /** `report` is called once for each session that starts, and must not throw. */
  onStart(report: (started: DriverSession) => void): void;
  /** `report` is called once for each session that ends, and must not throw. */
  onEnd(report: (ended: DriverSession) => void): void;
}

/** The session on a device that gets an input. */
export interface SessionInput {
  /** Has the driver put the input into the device. */
  drive(): Promise<void>;
  /** Restarts the idle time-out of the session. */
  keepAlive(): Promise<void>;
}
