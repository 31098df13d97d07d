import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import type { Log } from '@svc/auth-core';

/** Environment, input and output of a command. Results go to standard output, everything else to standard error. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when standard output accepts more data, so that a long export does not fill the memory. */
  drained?(): Promise<void>;
  /** Reads standard input to its end. */
  input(): Promise<string>;
  /**
   * Asks the person at the terminal to confirm.
   * @returns the decision, or undefined if there is no terminal
   */
  confirm(question: string): Promise<boolean | undefined>;
}

export function processTerminal(): Terminal {
  return {
    env: process.env,
    out: (line) => process.stdout.write(line),
    err: (line) => process.stderr.write(line),
    drained: async () => {
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    },
    input: () => text(process.stdin),
    confirm,
  };
}

async function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // Treats Ctrl-C and Ctrl-D as no.
  const closed = new Promise<string>((no) => reader.once('close', () => no('')));
  reader.once('SIGINT', () => reader.close());
  try {
    const answer = await Promise.race([reader.question(`${question} [y/N] `), closed]);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}

export function terminalLog({ err }: Terminal): Log {
  const line = (message: string) => err(`${message}\n`);
  return { debug: () => undefined, info: line, warn: line, error: line };
}
