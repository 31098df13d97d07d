import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import type { Log } from '@svc/auth-core';

/** Environment, input and output of a command. Results go to standard output, everything else to standard error. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Whether a person reads standard output, and not another program. */
  readonly isRead?: boolean;
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
    isRead: process.stdout.isTTY === true,
    drained: async () => {
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    },
    input: () => text(process.stdin),
    confirm,
  };
}

/**
 * Prints rows for a person with headings and aligned columns, and for another program with tabs between the columns and
 * without headings, so that each line is one row.
 */
export function printRows(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { out, isRead = false }: Terminal,
): void {
  if (!isRead) {
    for (const row of rows) out(`${row.join('\t')}\n`);
    return;
  }
  const lines = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines)
    out(
      `${line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
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
