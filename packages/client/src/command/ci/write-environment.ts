import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs';
import type { JobTokens } from './exchange.ts';

/** Destination of the variables: the environment file of GitHub Actions, a new private file, or the standard output. */
export type Destination =
  | { readonly kind: 'github'; readonly file: string }
  | { readonly kind: 'dotenv'; readonly file: string }
  | { readonly kind: 'shell' };

/** Writes the tokens as variables for the next steps of the job. */
export function writeEnvironment(tokens: JobTokens, to: Destination, out: (text: string) => void): void {
  const variables = variablesOf(tokens);
  switch (to.kind) {
    case 'github':
      // The runner of GitHub Actions treats these lines as commands: it hides the values in all logs, and does not log
      // the lines themselves.
      for (const [, value] of variables) out(`::add-mask::${value}\n`);
      appendFileSync(to.file, linesOf(variables));
      break;
    case 'dotenv':
      writePrivately(to.file, linesOf(variables));
      break;
    case 'shell':
      // Single quotes suffice, because a signed token contains no character that is special in a shell.
      for (const [name, value] of variables) out(`export ${name}='${value}'\n`);
  }
}

/** @returns the variables that pass the tokens on to later programs of the job */
export function variablesOf({ accessToken, sessionToken }: JobTokens): [name: string, value: string][] {
  const variables: [string, string][] = [['SVC_ACCESS_TOKEN', accessToken]];
  if (sessionToken !== undefined) variables.push(['SVC_SESSION_TOKEN', sessionToken]);
  return variables;
}

function linesOf(variables: readonly [string, string][]): string {
  return variables.map(([name, value]) => `${name}=${value}\n`).join('');
}

/**
 * Creates a file that only its owner can read. Refuses an existing file, because other users may be able to read it.
 */
function writePrivately(file: string, text: string): void {
  const open = openSync(file, 'wx', 0o600);
  try {
    writeSync(open, text);
  } finally {
    closeSync(open);
  }
}
