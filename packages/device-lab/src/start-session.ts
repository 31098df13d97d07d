import type { NamedApps } from './apps/session-apps.ts';
import type { Device } from './device.ts';
import type { SessionEnd } from './driver-sessions.ts';

/** What is to be started: the lab has reserved the device and put it into the capabilities. */
export interface SessionStart {
  /** As the client sent them, credentials removed; every view names the reserved device and no other. */
  readonly capabilities: unknown;
  /** Null: the lab has no inventory, the driver picks for itself. */
  readonly device: Device | null;
  /**
   * Library apps whose download addresses stand in the capabilities; null: none. What the driver says goes through its
   * `hide` before anybody else sees it.
   */
  readonly apps: NamedApps | null;
}

/** What is put into a device through its session, besides the commands of its client. */
export type DeviceInput =
  | { readonly kind: 'text'; readonly text: string }
  /** Parts of the screen's width and height, 0 to 1. */
  | { readonly kind: 'tap'; readonly x: number; readonly y: number }
  | { readonly kind: 'clipboard'; readonly content: string };

/** What an input was, without what it carried. */
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

/** A driver did not take an input. The message is for the log and never quotes the input. */
export class InputFailed extends Error {}

/** A session that runs, wherever it does. */
export interface StartedSession {
  /** The automation server's id. */
  readonly id: string;
  /** As the driver answered them. The record keeps them with secrets masked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Name of the node it runs on; absent: this server. */
  readonly node?: string;
  /**
   * Ends the session and its driver; resolves once both are gone. The lab calls it at most once and files the end
   * itself. A rejection is logged; the session counts as ended in either case.
   */
  end(): Promise<void>;
  /** Resolves when it ends by any other way than `end`, with how. */
  readonly ended: Promise<SessionEnd>;
  /** A command was answered in the driver's place: its client is still there. */
  keepAlive(): Promise<void>;
  /**
   * Types into the focused field, taps, or replaces the clipboard's text; counts as a use of the session. Nothing of the
   * input reaches a log. Rejects with `InputFailed`. Absent: there is no way to.
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
