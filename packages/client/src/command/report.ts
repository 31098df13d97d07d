import { parseArgs } from 'node:util';
import { fromEnv } from '../environment.ts';
import { SvcError } from '../error.ts';
import { reportName, saveReport } from '../report.ts';
import { type Command, UsageError } from './command.ts';

export const report: Command = {
  usage: `report <session> [--file <path>]

Saves the report of a session as one HTML file: what the record says, the commands, the pictures of failures
and evidence, and the device log. The file opens without a network.

  --file <path>  the file to write (default: svc-session-<session>.html in this folder)
`,
  run: async (args, env, io) => {
    const { session, file } = read(args);
    try {
      await saveReport(fromEnv({}, env), session, file);
    } catch (error) {
      if (!(error instanceof SvcError) || error.status !== 404) throw error;
      throw new Error(`the lab has no session ${session}, or its owner does not share it with this account`);
    }
    io.out(`${file}\n`);
    return 0;
  },
};

function read(args: readonly string[]): { session: string; file: string } {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { file: { type: 'string' } },
    allowPositionals: true,
  });
  const [session = '', ...more] = positionals;
  if (session === '' || more.length > 0 || values.file === '') throw new UsageError();
  return { session, file: values.file ?? reportName(session) };
}
