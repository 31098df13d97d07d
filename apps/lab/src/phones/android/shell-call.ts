import type { AndroidPhone } from './android-phone.ts';

/** A call of a program in the shell of a phone. */
export interface ShellCall {
  readonly phone: AndroidPhone;
  /** Arguments without the name of the program. */
  readonly args: readonly string[];
  out(content: string | Uint8Array): void;
  err(text: string): void;
  /** @returns the next bytes of the standard input */
  read(size: number): Promise<Buffer>;
  /** Resolves when the client has closed the connection. */
  readonly closed: Promise<void>;
}

/** A program of a phone. Returns its exit code. */
export type Program = (call: ShellCall) => number | Promise<number>;

export type Programs = Readonly<Record<string, Program>>;

/** Prints the text as a line. @returns exit code 0 */
export function print({ out }: Pick<ShellCall, 'out'>, text: string): number {
  out(`${text}\n`);
  return 0;
}

/** Prints an error. @returns exit code 1 */
export function failed({ err }: Pick<ShellCall, 'err'>, text: string): number {
  err(`${text}\n`);
  return 1;
}
