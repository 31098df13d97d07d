import { type Environment, UnusableSetting } from '../unusable-setting.ts';
import { type Command, type CommandIo, EXEC, UsageError } from './command.ts';

/** All commands with their descriptions. The module of a command is loaded only when the command runs. */
export const COMMANDS: Readonly<Record<string, { does: string; load(): Promise<Command> }>> = {
  login: {
    does: 'signs in this machine: prints a code, which you approve in a browser',
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    does: 'revokes and removes what login stored',
    load: async () => (await import('./logout.ts')).logout,
  },
  whoami: {
    does: 'shows the account that the credentials belong to',
    load: async () => (await import('./whoami.ts')).whoami,
  },
  mcp: {
    does: 'connects an agent on this machine with the MCP server of the lab',
    load: async () => (await import('./mcp.ts')).mcp,
  },
  inspector: {
    does: 'opens a local address for the desktop app of Appium Inspector',
    load: async () => (await import('./inspector.ts')).inspector,
  },
  adb: {
    does: 'makes a phone of the lab available to adb on this machine',
    load: async () => (await import('./adb.ts')).adb,
  },
  usb: {
    does: 'makes an iOS phone of the lab available to programs that speak to usbmuxd',
    load: async () => (await import('./usb.ts')).usb,
  },
  clean: {
    does: 'shows what a cleaning would remove from a phone of the lab',
    load: async () => (await import('./clean.ts')).clean,
  },
  'ci-login': {
    does: 'exchanges the token of a CI job for tokens of the lab',
    load: async () => (await import('./ci-login.ts')).ciLogin,
  },
  token: {
    does: 'says what kind of token a text is and whether its checksum is correct',
    load: async () => (await import('./token.ts')).token,
  },
  report: {
    does: 'saves the report of a session as one HTML file',
    load: async () => (await import('./report.ts')).report,
  },
};

const LONGEST_NAME = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));

const WHERE = `The address of the lab and the key pair come from SVC_URL, and SVC_ACCESS_KEY and SVC_TOKEN or the files that
SVC_ACCESS_KEY_FILE and SVC_TOKEN_FILE name, otherwise from what \`login\` stored.
`;

/** Writes to this process' standard output and standard error. */
export function commandIo(): CommandIo {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}

/**
 * Runs a command of `appium-svc-client`.
 * @param program name of the program, for its messages
 * @returns the exit code: 0 for success, 1 if the lab refuses or a file cannot be written, 2 for wrong usage
 */
export async function runCommand(
  args: readonly string[],
  env: Environment,
  io: CommandIo,
  program = 'appium-svc-client',
): Promise<number> {
  const [name = '', ...rest] = args;
  const own = rest.includes(EXEC) ? rest.slice(0, rest.indexOf(EXEC)) : rest;
  const isHelp = own.some((arg) => arg === '--help' || arg === '-h');
  const known = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (known === undefined) return showAll(name, io, program);
  const command = await known.load();
  const where = command.isOffline === true ? '' : `\n${WHERE}`;
  const usage = `Usage: ${usagePrefix(program)} ${command.usage}${where}`;
  if (isHelp) {
    io.out(usage);
    return 0;
  }
  try {
    return await command.run(rest, env, io);
  } catch (error) {
    if (isUsageError(error)) io.err(usage);
    else io.err(`${program}: ${error instanceof Error ? error.message : String(error)}\n`);
    return isUsageError(error) || error instanceof UnusableSetting ? 2 : 1;
  }
}

function showAll(name: string, io: CommandIo, program: string): number {
  const lines = Object.entries(COMMANDS).map(
    ([each, { does }]) => `  ${each.padEnd(LONGEST_NAME)}  ${does}\n`,
  );
  const text = `Usage: ${usagePrefix(program)} <command>\n\n${lines.join('')}\n\`<command> --help\` shows the options.\n\n${WHERE}`;
  const isAsked = name === '--help' || name === '-h' || name === 'help';
  if (isAsked) io.out(text);
  else io.err(text);
  return isAsked ? 0 : 2;
}

function usagePrefix(program: string): string {
  return program === 'svc' ? program : `npx ${program}`;
}

/**
 * Returns whether the error means wrong arguments. The usage is then shown instead of the message of the error, because
 * messages of `parseArgs` contain arguments, which could be secret.
 */
function isUsageError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return error instanceof UsageError || (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS'));
}
