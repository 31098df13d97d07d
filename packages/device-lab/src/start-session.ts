import type { NamedApps } from './apps/session-apps.ts';
import type { Device } from './device.ts';
import type { SessionEnd } from './driver-sessions.ts';

/** Input of a start. The device is already reserved and named in the capabilities. */
export interface SessionStart {
  /** Capabilities of the client without credentials. Every view names the reserved device and no other. */
  readonly capabilities: unknown;
  /** Null if the lab has no devices, so that the driver picks one. */
  readonly device: Device | null;
  /**
   * Library apps whose download addresses are in the capabilities, or null if there are none. Pass everything that the
   * driver returns through its `hide`, because the addresses contain tickets.
   */
  readonly apps: NamedApps | null;
}

/** Input that is put into a device through its session, besides the commands of the client. */
export type DeviceInput =
  | { readonly kind: 'text'; readonly text: string }
  /** Shares of the screen's width and height, from 0 to 1. */
  | { readonly kind: 'tap'; readonly x: number; readonly y: number }
  | { readonly kind: 'clipboard'; readonly content: string };

/** @returns a description of an input without its content */
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

/** A driver rejected an input. The message is for the log and never quotes the input. */
export class InputFailed extends Error {}

/** A running session on any server. */
export interface StartedSession {
  /** Session id of the automation server. */
  readonly id: string;
  /** Capabilities that the driver returned. They are recorded with secrets masked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Name of the node on which it runs, unless it runs on this server. */
  readonly node?: string;
  /**
   * Ends the session and its driver, and resolves once both have ended. The lab calls it at most once and records the
   * end. A rejection is logged, and the session counts as ended anyway.
   */
  end(): Promise<void>;
  /** Resolves with the cause if the session ends in any other way than by `end`. */
  readonly ended: Promise<SessionEnd>;
  /** Restarts the idle time-out, because a command was answered in place of the driver. */
  keepAlive(): Promise<void>;
  /**
   * Types into the focused field, taps, or replaces the text of the clipboard, and restarts the idle time-out. The
   * input is not logged. Rejects with `InputFailed`. Absent if the session takes no input.
   */
  input?(input: DeviceInput): Promise<void>;
}

/** The session that a start began, with the answer to its create, or the answer alone if the create was refused. */
export type StartResult<A> =
  | { readonly started: StartedSession; readonly answer: A }
  | { readonly refused: A };

/**
 * Starts a session on this server, on a node or in a grid. `A` is the answer to the create, in whatever form the
 * starter has it: `createSession` returns it unchanged. It also rejects with the error that the start rejects with. The
 * device is free again after a refusal or a rejection.
 */
export type StartSession<A> = (start: SessionStart) => Promise<StartResult<A>>;
