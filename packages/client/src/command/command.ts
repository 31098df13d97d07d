import type { Environment } from '../unusable-setting.ts';

/** The parts of the process that a command uses. */
export interface CommandIo {
  out(text: string): void;
  err(text: string): void;
  /** Resolves after a time in ms. Absent: a timer of Node.js. */
  pause?(ms: number): Promise<void>;
  /** Lines of the input. Absent: those of standard input. */
  lines?(): AsyncIterable<string>;
  /** Reads standard input to its end. Absent: that of this process. */
  input?(): Promise<string>;
}

/** A command of `appium-svc-client`, which `svc` has too. */
export interface Command {
  readonly usage: string;
  /** True if the command needs no lab, so that its usage does not say where the address comes from. */
  readonly isOffline?: boolean;
  /**
   * Runs the command. Throws an `UsageError` for arguments that it does not take.
   * @returns the exit code
   */
  run(args: readonly string[], env: Environment, io: CommandIo): Promise<number>;
}

/** Error for arguments that a command does not take. The usage is shown in its place. */
export class UsageError extends Error {}

/** Text from another machine, without characters that would change what the terminal shows. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
}
