import { VERSION } from '@svc/api/host.js';
import { Refusal } from '@svc/auth-core';
import { COMMANDS, runCommand } from '@svc/client/command';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { FolderOptions } from './actions/data-folder.ts';
import { addAdmin } from './commands/admin.ts';
import { addBackup } from './commands/backup.ts';
import { addDoctor } from './commands/doctor.ts';
import { addKeys } from './commands/keys.ts';
import { addLeftovers } from './commands/leftovers.ts';
import { FOLDER } from './commands/options.ts';
import { addUpgrade } from './commands/upgrade.ts';
import type { Terminal } from './terminal.ts';

/** Exit code if the arguments are not a valid command. */
const USAGE_ERROR = 2;
const FAILED = 1;

/**
 * Runs a command of `svc`. Loads only the modules that the command needs.
 * @returns the exit code: 0 if the command is done, 1 if it failed or its check found a problem, 2 if the arguments are
 * not a valid command
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = programFor(terminal, (answer) => {
    code = answer;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    terminal.err(`svc: ${error instanceof Refusal ? error.code : messageOf(error)}\n`);
    return FAILED;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function programFor(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command('svc')
    .description(
      'Access control for an Appium device lab: commands for testers, and for the host of the server.',
    )
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('Run `svc --help` or `svc <command> --help`.')
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `\n${TESTER_COMMANDS.map((name) => `\`${name}\``).join(', ')} run on any machine. The other commands run on the server's host with its SVC_* variables; \`upgrade\` and \`restore\` while it is stopped.`,
    );
  addClientCommands(program, terminal, end);
  addAdmin(program, terminal, end);
  addAudit(program, terminal, end);
  addUpgrade(program, terminal, end);
  addBackup(program, terminal, end);
  addLeftovers(program, terminal, end);
  addDoctor(program, terminal, end);
  addKeys(program, terminal, end);
  addProxy(program, end);
  return program;
}

type End = (code: number) => void;

const TESTER_COMMANDS = [...Object.keys(COMMANDS), 'proxy'];

/** Adds the commands that testers run (package `client`). Each of these commands parses its own options. */
function addClientCommands(program: Command, terminal: Terminal, end: End): void {
  for (const [name, { does }] of Object.entries(COMMANDS)) {
    program
      .command(name)
      .description(does)
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .argument('[arguments...]', `see \`svc ${name} --help\``)
      .action(async (args: string[]) =>
        end(await runCommand([name, ...args], terminal.env, terminal, 'svc')),
      );
  }
}

function addAudit(program: Command, terminal: Terminal, end: End): void {
  const audit = program.command('audit').description('check and export the audit trail');
  const on = async (verb: 'verifyAudit' | 'printAuditHead', options: FolderOptions) => {
    const { withStore } = await import('./actions/data-folder.ts');
    const verbs = await import('./actions/audit.ts');
    end(await withStore(options, terminal, (stores) => verbs[verb](stores, terminal)));
  };
  audit
    .command('verify')
    .description('check that no row of the trail was changed or removed; exits with 1 if one was')
    .option(...FOLDER)
    .action((options: FolderOptions) => on('verifyAudit', options));
  audit
    .command('head')
    .description('print the count and hash of the trail, to store on another machine')
    .option(...FOLDER)
    .action((options: FolderOptions) => on('printAuditHead', options));
  audit
    .command('export')
    .description('print every row as a line of JSON, oldest first')
    .option('--since <time>', 'leave out rows that are older than this ISO 8601 time', instant)
    .option(...FOLDER)
    .action(async (options: FolderOptions & { readonly since?: Date }) => {
      const { withStore } = await import('./actions/data-folder.ts');
      const { exportAudit } = await import('./actions/audit.ts');
      end(await withStore(options, terminal, (stores) => exportAudit(stores, terminal, options)));
    });
}

function instant(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It is an ISO 8601 time.');
  return time;
}

/**
 * Adds `svc proxy`. The proxy parses its own options and never prints an argument, because an argument may be a token.
 */
function addProxy(program: Command, end: End): void {
  program
    .command('proxy')
    .description('run a proxy on loopback that adds your credentials for tools that cannot send headers')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument('[options...]', 'see `svc proxy --help`')
    .action(async (args: string[]) => {
      const { processIo, runProxy } = await import('@svc/client/proxy');
      end(await runProxy(args, process.env, processIo()));
    });
}
