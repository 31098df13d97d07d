import type { Environment } from '../unusable-setting.ts';

/** The parts of the process that a command uses. */
export interface CommandIo {
  out(text: string): void;
  err(text: string): void;
  /** Resolves after the given time (ms). If absent, a timer of Node.js is used. */
  pause?(ms: number): Promise<void>;
  /** Returns the lines of the input. If absent, the command reads standard input. */
  lines?(): AsyncIterable<string>;
  /** Reads the input to its end. If absent, the command reads standard input. */
  input?(): Promise<string>;
}

/** A command of `appium-svc-client`, which is also available in `svc`. */
export interface Command {
  readonly usage: string;
  /**
   * True if the command sends no request to a lab, so that its usage text does not explain where the lab's address
   * comes from.
   */
  readonly isOffline?: boolean;
  /**
   * Runs the command. Throws a `UsageError` if it does not accept the arguments.
   * @returns the exit code
   */
  run(args: readonly string[], env: Environment, io: CommandIo): Promise<number>;
}

/** Argument after which all others belong to another program. */
export const EXEC = '--exec';

/** Error for arguments that a command does not accept. The program shows the usage text instead of the message. */
export class UsageError extends Error {}

/** Returns a text from another machine without the control characters that could change what the terminal shows. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
}
