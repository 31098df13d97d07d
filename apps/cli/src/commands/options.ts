import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

/** Adds a command to the program; `end` takes its exit code: 0 done, 1 failed or check negative. */
export type AddCommand = (program: Command, terminal: Terminal, end: (code: number) => void) => void;

export const FOLDER = [
  '--data-dir <folder>',
  'data folder of the server (default: SVC_DATA_DIR, else ~/.cache/svc)',
] as const;
