import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { addressIn } from '../environment.ts';
import { type Environment, UnusableSetting } from '../unusable-setting.ts';
import { exchange } from './ci/exchange.ts';
import { idTokenOf, type JobTools } from './ci/id-token.ts';
import { type Destination, writeEnvironment } from './ci/write-environment.ts';
import { type Command, plainText } from './command.ts';

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
  usage: `ci-login [--file <path> | --print] [--audience <text>] [--scope <scopes>] [--variable <name>]

Exchanges the token that the CI signs for this job for tokens of the lab, so that the CI stores no secret. SVC_URL is
the address of the lab. GitHub Actions, Buildkite and CircleCI are asked for the token; in GitLab CI and Jenkins it is
in a variable. The next steps of the job get SVC_ACCESS_TOKEN and, to create sessions, SVC_SESSION_TOKEN.

  --file <path>      writes the variables to a new file that only this user can read. Not needed in GitHub Actions,
                     where they go to GITHUB_ENV and are hidden in the log
  --print            prints lines for a shell, as in: eval "$(npx appium-svc-client ci-login --print)"
  --audience <text>  audience of the token of the job (default: SVC_URL)
  --scope <scopes>   fewer scopes than those of the trust rule, such as "read sessions"
  --variable <name>  variable with the token of the job in GitLab CI and Jenkins (default: SVC_ID_TOKEN)
`,
  run: async (args, env, io) => {
    const options = optionsOf(args);
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
    const idToken = await idTokenOf(env, { audience, variable }, TOOLS);
    const tokens = await exchange(url, idToken, options.scope, TOOLS.fetch);
    writeEnvironment(tokens, to, io.out);
    io.err(`Tokens for ${tokens.expiresIn} s with the scopes ${plainText(tokens.scope)}\n`);
    return 0;
  },
};

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
  throw new UnusableSetting('choose where to write the tokens: --file <path>, or --print inside eval "$(…)"');
}
