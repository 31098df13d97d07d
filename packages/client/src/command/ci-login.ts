import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { addressIn, type Environment, UnusableSetting } from '../environment.ts';
import { exchange } from './ci/exchange.ts';
import { idTokenOf, type JobTools } from './ci/id-token.ts';
import { type Destination, writeEnvironment } from './ci/write-environment.ts';

export const CI_LOGIN_USAGE = `Usage: npx appium-svc-client ci-login [--file <path> | --print] [--audience <text>] [--scope <scopes>]
                                      [--variable <name>]

Exchanges the token that the CI signs for this job for tokens of the lab, so that the CI stores no secret. SVC_URL is
the address of the lab. GitHub Actions, Buildkite and CircleCI are asked for the token; in GitLab CI and Jenkins it is
in a variable. The next steps of the job get SVC_ACCESS_TOKEN and, to create sessions, SVC_SESSION_TOKEN.

  --file <path>      writes the variables to a new file that only this user can read. Not needed in GitHub Actions,
                     where they go to GITHUB_ENV and are hidden in the log
  --print            prints lines for a shell, as in: eval "$(npx appium-svc-client ci-login --print)"
  --audience <text>  audience of the token of the job (default: SVC_URL)
  --scope <scopes>   fewer scopes than those of the trust rule, such as "read sessions"
  --variable <name>  variable with the token of the job in GitLab CI and Jenkins (default: SVC_ID_TOKEN)
  --help             shows this text
`;

interface Io {
  out(text: string): void;
  err(text: string): void;
}

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

/**
 * Runs `appium-svc-client ci-login`.
 * @returns the exit code: 0 for success, 1 if the CI or the lab refuses, 2 if the command is used wrongly
 */
export async function ciLogin(
  args: readonly string[],
  env: Environment,
  io: Io,
  tools: JobTools = TOOLS,
): Promise<number> {
  try {
    const options = optionsOf(args);
    if (options.help) {
      io.out(CI_LOGIN_USAGE);
      return 0;
    }
    const to = destinationOf(options, env);
    const url = addressIn(
      env.SVC_URL,
      'Set SVC_URL to the public address of the lab, as in https://lab.example',
    );
    if (url.startsWith('http:') && !/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(url))
      throw new UnusableSetting(
        'SVC_URL must be an https address, because the token would be readable on its way',
      );
    const { audience = url, variable = 'SVC_ID_TOKEN' } = options;
    const idToken = await idTokenOf(env, { audience, variable }, tools);
    const tokens = await exchange(url, idToken, options.scope, tools.fetch);
    writeEnvironment(tokens, to, io.out);
    io.err(`appium-svc-client: tokens for ${tokens.expiresIn} s with the scopes ${tokens.scope}\n`);
    return 0;
  } catch (error) {
    io.err(`appium-svc-client: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UnusableSetting ? 2 : 1;
  }
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const options = { file: text, audience: text, scope: text, variable: text, print: flag, help: flag };
    return parseArgs({ args: [...args], options }).values;
  } catch {
    // The message of `parseArgs` is not shown, because it repeats an argument, which may be a secret.
    throw new UnusableSetting('the arguments are not those of ci-login; see ci-login --help');
  }
}

function destinationOf(options: { file?: string; print?: boolean }, env: Environment): Destination {
  if (options.file !== undefined) return { kind: 'dotenv', file: options.file };
  if (options.print) return { kind: 'shell' };
  if (env.GITHUB_ENV) return { kind: 'github', file: env.GITHUB_ENV };
  throw new UnusableSetting('say where the tokens go: --file <path>, or --print inside eval "$(…)"');
}
