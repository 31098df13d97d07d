import { parseArgs } from 'node:util';
import { type Environment, fromEnv, UnusableSetting } from '../environment.ts';
import { SvcError } from '../error.ts';
import { reportName, saveReport } from '../report.ts';

const USAGE = `Usage: npx appium-svc-client report <session> [--file <path>]

Saves the report of a session as one HTML file: what the record says, the commands, the pictures of failures
and evidence, and the device log. The file opens without a network.

The address of the lab and the key pair come from SVC_URL, and SVC_ACCESS_KEY and SVC_TOKEN or the files that
SVC_ACCESS_KEY_FILE and SVC_TOKEN_FILE name.

  --file <path>  the file to write (default: svc-session-<session>.html in this folder)
  --help         shows this text
`;

/** The parts of the process that the command uses. */
export interface CommandIo {
  out(text: string): void;
  err(text: string): void;
}

/** Writes to this process' standard output and standard error. */
export function commandIo(): CommandIo {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}

/**
 * Runs `appium-svc-client`.
 * @returns the exit code: 0 for success, 1 if the lab or the disk refuses, 2 if the command is used wrongly
 */
export async function runCommand(args: readonly string[], env: Environment, io: CommandIo): Promise<number> {
  const wanted = read(args);
  if (wanted === 'help') {
    io.out(USAGE);
    return 0;
  }
  if (wanted === undefined) {
    io.err(USAGE);
    return 2;
  }
  try {
    await saveReport(fromEnv({}, env), wanted.session, wanted.file);
  } catch (error) {
    io.err(`appium-svc-client: ${reasonOf(error, wanted.session)}\n`);
    return error instanceof UnusableSetting ? 2 : 1;
  }
  io.out(`${wanted.file}\n`);
  return 0;
}

function read(args: readonly string[]): { session: string; file: string } | 'help' | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { file: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (values.help) return 'help';
    const [command, session = '', ...more] = positionals;
    if (command !== 'report' || session === '' || more.length > 0 || values.file === '') return undefined;
    return { session, file: values.file ?? reportName(session) };
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown, session: string): string {
  if (error instanceof SvcError && error.status === 404) {
    return `the lab has no session ${session}, or its owner does not share it with this account`;
  }
  return error instanceof Error ? error.message : String(error);
}
