import { type Environment, UnusableSetting } from '../../unusable-setting.ts';

/** Functions that send HTTP requests and run programs, to get the job's token. */
export interface JobTools {
  readonly fetch: typeof fetch;
  /**
   * Runs a program.
   * @returns its output without surrounding white space, or undefined if the program cannot be run or fails
   */
  readonly output: (program: string, args: readonly string[]) => string | undefined;
}

const ANSWER_MS = 10_000;

/**
 * Finds the token that the CI service signed for this job. Rejects with an `UnusableSetting` that says what the job
 * lacks. No message contains a token.
 *
 * @param audience the audience that the token has to name
 * @param variable name of the environment variable in which GitLab CI or Jenkins stores the token
 */
export async function idTokenOf(
  env: Environment,
  { audience, variable }: { readonly audience: string; readonly variable: string },
  tools: JobTools,
): Promise<string> {
  const given = env[variable]?.trim();
  if (given) return given;
  if (env.GITHUB_ACTIONS === 'true') return githubToken(env, audience, tools);
  if (env.BUILDKITE === 'true') return buildkiteToken(audience, tools);
  if (env.CIRCLECI === 'true') return circleToken(env, audience, tools);
  if (env.GITLAB_CI === 'true')
    throw new UnusableSetting(
      `Add id_tokens: { ${variable}: { aud: ${audience} } } to the job in .gitlab-ci.yml`,
    );
  if (env.JENKINS_URL !== undefined)
    throw new UnusableSetting(`Bind an OpenID Connect id token for ${audience} to the variable ${variable}`);
  throw new UnusableSetting(`No CI was recognised. Put the token of the job into the variable ${variable}`);
}

async function githubToken(env: Environment, audience: string, { fetch }: JobTools): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = env;
  if (!url || !secret)
    throw new UnusableSetting(
      'Give the job the permission to request tokens: permissions: { id-token: write }',
    );
  const address = new URL(url);
  address.searchParams.set('audience', audience);
  const answer = await fetch(address, {
    headers: { authorization: `bearer ${secret}`, accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const { value } = answer.ok ? ((await answer.json()) as { value?: unknown }) : {};
  if (typeof value !== 'string' || value === '')
    throw new Error(`GitHub did not issue a token for the job (status ${answer.status})`);
  return value;
}

function buildkiteToken(audience: string, { output }: JobTools): string {
  const token = output('buildkite-agent', ['oidc', 'request-token', '--audience', audience]);
  if (!token) throw new Error('buildkite-agent did not issue a token for the job');
  return token;
}

/**
 * Requests a token with the given audience from the `circleci` program. If that fails, returns the token in CircleCI's
 * environment variable, whose audience is the id of the organization.
 */
function circleToken(env: Environment, audience: string, { output }: JobTools): string {
  const claims = JSON.stringify({ aud: audience });
  const token = output('circleci', ['run', 'oidc', 'get', '--claims', claims]) ?? env.CIRCLE_OIDC_TOKEN_V2;
  if (!token)
    throw new UnusableSetting(
      'CircleCI gave the job no token. Add a context to the job, or install its CLI in the image',
    );
  return token;
}
