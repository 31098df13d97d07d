import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

/**
 * Function that adds a command to the program. The command passes its exit code to `end`: 0 if it is done, 1 if it
 * failed or its check found a problem.
 */
export type AddCommand = (program: Command, terminal: Terminal, end: (code: number) => void) => void;

export const FOLDER = [
  '--data-dir <folder>',
  'data folder of the server (default: SVC_DATA_DIR, else ~/.cache/svc)',
] as const;
