import type { NamedApps } from './apps/session-apps.ts';
import type { Device } from './device.ts';
import type { DriverSession } from './driver-session.ts';
import type { SessionEnd } from './driver-sessions.ts';

/** Input of a session start. The device is already reserved, and its udid is in the capabilities. */
export interface SessionStart {
  /**
   * Capabilities of the client without credentials. Every combination of `alwaysMatch` and a `firstMatch` entry selects
   * the reserved device and no other.
   */
  readonly capabilities: unknown;
  /** Reserved device, or null if the lab has no devices, so that the driver picks one. */
  readonly device: Device | null;
  /**
   * Library apps whose download addresses are in the capabilities, or null if there are none. The addresses can contain
   * tickets that allow a download, so they must not reach the client. Pass everything that the driver returns through
   * the `hide` method of this object, which replaces the addresses.
   */
  readonly apps: NamedApps | null;
}

/** Input that a person puts into a device through its session, in addition to the commands of the client. */
export type DeviceInput =
  | { readonly kind: 'text'; readonly text: string }
  /** Position of the tap, as shares of the screen's width and height from 0 to 1. */
  | { readonly kind: 'tap'; readonly x: number; readonly y: number }
  | { readonly kind: 'clipboard'; readonly content: string };

/** @returns a description of an input that does not contain the input text, so that it can be logged */
export function inputNote(input: DeviceInput): string {
  switch (input.kind) {
    case 'text':
      return `text of ${input.text.length} characters`;
    case 'tap':
      return `tap at ${percent(input.x)}, ${percent(input.y)}`;
    case 'clipboard':
      return `clipboard of ${input.content.length} characters`;
  }
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

/** Thrown if a driver rejected an input. The message is for the log and never quotes the input. */
export class InputFailed extends Error {}

/** A running session, on this server, on a node or in a grid. */
export interface StartedSession {
  /** Id of the session, which the automation server assigned. */
  readonly id: string;
  /** Capabilities that the driver returned. They are recorded with their secrets masked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Name of the node on which the session runs. Absent if the session runs on this server. */
  readonly node?: string;
  /**
   * Ends the session and its driver, and resolves once both have ended. The lab calls this method at most once and
   * records the end. If it rejects, the lab logs the error and treats the session as ended.
   */
  end(): Promise<void>;
  /** Promise that resolves with the cause if the session ends in any other way than by `end`. */
  readonly ended: Promise<SessionEnd>;
  /** Restarts the idle time-out of the session after a command or input that the session's driver did not handle. */
  keepAlive(): Promise<void>;
  /**
   * Types into the focused field, taps, or replaces the text of the clipboard, and restarts the idle time-out. The
   * input is not logged. Rejects with `InputFailed` if the driver rejects the input. Absent if the session takes no
   * input.
   */
  input?(input: DeviceInput): Promise<void>;
}

/**
 * Result of a start: the session with the response to its create-session request, or the response alone if the
 * create-session request was refused.
 */
export type StartResult<A> =
  | { readonly started: StartedSession; readonly answer: A }
  | { readonly refused: A };

/**
 * Starts a session on this server, on a node or in a grid. `A` is the type of the response to the create-session
 * request; `createSession` returns the response unchanged. If this function rejects, `createSession` rejects with the
 * same error. The device is free again after a refusal or a rejection.
 */
export type StartSession<A> = (start: SessionStart) => Promise<StartResult<A>>;

/**
 * Result of a create-session request: the session's record with the response of its start, or the response of a start
 * that refused.
 */
export type SessionOutcome<A> =
  | { readonly session: DriverSession; readonly answer: A }
  | { readonly refused: A };
