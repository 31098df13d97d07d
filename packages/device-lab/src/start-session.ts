import type { NamedApps } from './apps/session-apps.ts';
import type { Device } from './device.ts';
import type { DriverSession } from './driver-session.ts';
import type { SessionEnd } from './driver-sessions.ts';

/** What is needed to start a session. Its device is already reserved, and the device's udid is in the capabilities. */
export interface SessionStart {
  /**
   * Capabilities of the client, without credentials. They select the reserved device and no other, whichever entry of
   * `firstMatch` a driver merges with `alwaysMatch`.
   */
  readonly capabilities: unknown;
  /** The reserved device, or null if no device was reserved, so that the driver or the grid picks one. */
  readonly device: Device | null;
  /**
   * Apps of the app library whose download addresses are in the capabilities, or null if there are none. Such an
   * address can contain a ticket, which allows a download without other credentials, so the client must not see it.
   * Therefore pass everything that the driver returns through the method `hide` of this object, which replaces the
   * addresses.
   */
  readonly apps: NamedApps | null;
}

/** Input that a person sends to a device in the dashboard while a session runs on the device. */
export type DeviceInput =
  | { readonly kind: 'text'; readonly text: string }
  /** Position of the tap, as shares of the screen's width and height from 0 to 1. */
  | { readonly kind: 'tap'; readonly x: number; readonly y: number }
  | { readonly kind: 'clipboard'; readonly content: string };

/** @returns a description of an input for the log, without the typed text */
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

/** A session that is running on this server, on a node or in a grid. */
export interface StartedSession {
  /** Id of the session, which the automation server assigned. */
  readonly id: string;
  /** Capabilities that the driver returned. They are stored with their secrets masked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Name of the node or grid in which the session runs. Absent if the session runs on this server. */
  readonly node?: string;
  /**
   * Ends the session, and resolves once the session and its driver have ended. The lab calls this method at most once.
   * If it rejects, the lab logs the error and treats the session as ended.
   */
  end(): Promise<void>;
  /** Resolves with the cause when the session ends in another way than by `end`. */
  readonly ended: Promise<SessionEnd>;
  /**
   * Restarts the idle time-out of the session (`newCommandTimeout`). Called after a command or input that the driver
   * did not handle, because such a command does not restart the time-out otherwise.
   */
  keepAlive(): Promise<void>;
  /**
   * Sends the driver a command that changes nothing. Resolves to the error message of the driver, or to undefined if it
   * answered or did not answer in time. Absent if the session runs elsewhere, where its own lab examines the driver.
   */
  probe?(): Promise<string | undefined>;
  /**
   * Types into the focused field, taps, or replaces the content of the clipboard. Also restarts the idle time-out of
   * the session. The input is not logged. Rejects with `InputFailed` if the driver rejects the input. Absent if the
   * session accepts no input.
   */
  input?(input: DeviceInput): Promise<void>;
}

/**
 * Why a session was not created: `request` if the request never reached a driver, and `phone` if the driver names a
 * reason of the phone (contract 17.2).
 */
export type StartFault = 'request' | 'phone';

/**
 * Result of starting a session. `answer` is the response to the create-session request. If no session was created, only
 * the response is returned, as `refused`.
 */
export type StartResult<A> =
  | { readonly started: StartedSession; readonly answer: A }
  | { readonly refused: A; readonly fault?: StartFault | undefined };

/**
 * Starts a session on this server, on a node or in a grid. `A` is the type of the response to the create-session
 * request. If this function returns `refused` or rejects, no session runs, and the reserved device is freed.
 */
export type StartSession<A> = (start: SessionStart) => Promise<StartResult<A>>;

/**
 * Result of a create-session request: the stored session and the response, or only the response if no session was
 * created.
 */
export type SessionOutcome<A> =
  | { readonly session: DriverSession; readonly answer: A }
  | { readonly refused: A };
