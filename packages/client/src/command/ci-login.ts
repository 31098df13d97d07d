import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { addressIn } from '../environment.ts';
import { isSafeAddress } from '../safe-address.ts';
import { type Environment, UnusableSetting } from '../unusable-setting.ts';
import { exchange } from './ci/exchange.ts';
import { idTokenOf, type JobTools } from './ci/id-token.ts';
import { runProgram } from './ci/run-program.ts';
import { type Destination, variablesOf, writeEnvironment } from './ci/write-environment.ts';
import { type Command, EXEC, plainText, UsageError } from './command.ts';

const TOOLS: JobTools = {
  fetch: (...input) => fetch(...input),
  output: (program, args) => {
    const { status, stdout } = spawnSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 30_000,
    });
    return status === 0 ? stdout.trim() : undefined;
  },
};

/** Finds the token of a CI job, exchanges it, and passes the result on to the next steps of the job. */
export const ciLogin: Command = {
  usage: `ci-login [--audience <text>] [--scope <scopes>] [--variable <name>]
                [--file <path> | --print | --exec <program> [arguments]]

Exchanges the token that the CI signs for this job for tokens of the lab, so that the CI stores no secret. SVC_URL is
the address of the lab. GitHub Actions, Buildkite and CircleCI are asked for the token; in GitLab CI and Jenkins it is
in a variable. The next steps of the job get SVC_ACCESS_TOKEN and, to create sessions, SVC_SESSION_TOKEN.

  --file <path>      writes the variables to a new file that only this user can read. Not needed in GitHub Actions,
                     where they go to GITHUB_ENV and are hidden in the log
  --exec <program>   runs the program with the variables in its environment, and ends with its exit code. Everything
                     after --exec belongs to the program, as in: ci-login --exec npm test
  --print            prints lines for a shell. Store them before you run them, because a failure inside eval is lost:
                     TOKENS=$(npx --no-install appium-svc-client ci-login --print) && eval "$TOKENS"
  --audience <text>  audience of the token of the job (default: SVC_URL)
  --scope <scopes>   fewer scopes than those of the trust rule, such as "read sessions"
  --variable <name>  variable with the token of the job in GitLab CI and Jenkins (default: SVC_ID_TOKEN)
`,
  run: async (all, env, io) => {
    const { args, program } = splitAtExec(all);
    const options = optionsOf(args);
    const to = program === undefined ? destinationOf(options, env) : undefined;
    if (program !== undefined && (options.file !== undefined || options.print)) throw new UsageError();
    const url = addressIn(
      env.SVC_URL,
      'Set SVC_URL to the public address of the lab, as in https://lab.example',
    );
    if (!isSafeAddress(url))
      throw new UnusableSetting(
        'SVC_URL must be an https address, because the token would be readable on its way',
      );
    const { audience = url, variable = 'SVC_ID_TOKEN' } = options;
    const idToken = await idTokenOf(env, { audience, variable }, TOOLS);
    const tokens = await exchange(url, idToken, options.scope, TOOLS.fetch);
    io.err(`Tokens for ${tokens.expiresIn} s with the scopes ${plainText(tokens.scope)}\n`);
    if (program !== undefined)
      return runProgram(program, { ...env, ...Object.fromEntries(variablesOf(tokens)) });
    if (to !== undefined) writeEnvironment(tokens, to, io.out);
    return 0;
  },
};

/** Separates the options of the command from the program after `--exec`. Throws `UsageError` if no program follows. */
function splitAtExec(all: readonly string[]): { args: readonly string[]; program?: readonly string[] } {
  const at = all.indexOf(EXEC);
  if (at === -1) return { args: all };
  const program = all.slice(at + 1);
  if (program.length === 0) throw new UsageError();
  return { args: all.slice(0, at), program };
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    file: text,
    audience: text,
    scope: text,
    variable: text,
    print: { type: 'boolean' },
  } as const;
  return parseArgs({ args: [...args], options }).values;
}

function destinationOf(options: { file?: string; print?: boolean }, env: Environment): Destination {
  if (options.file !== undefined) return { kind: 'dotenv', file: options.file };
  if (options.print) return { kind: 'shell' };
  if (env.GITHUB_ENV) return { kind: 'github', file: env.GITHUB_ENV };
  throw new UnusableSetting('choose where the tokens go: --exec <program>, --file <path> or --print');
}
