/** Tokens of the lab that one CI job gets. */
export interface JobTokens {
  readonly accessToken: string;
  /**
   * Token for `svc:options.sessionToken`, or undefined if the job may not create sessions. The trust rule (by which the
   * lab accepted the job) then lacks the scope `sessions`.
   */
  readonly sessionToken: string | undefined;
  /** Lifetime in seconds. */
  readonly expiresIn: number;
  readonly scope: string;
}

const ANSWER_MS = 30_000;
/**
 * Form of a signed token. Other values are refused: a value with a line break would set more variables when it is
 * written to the environment file of the job.
 */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Exchanges a CI job's token at the lab (RFC 8693). Rejects with an error whose message contains no token. */
export async function exchange(
  url: string,
  idToken: string,
  scope: string | undefined,
  fetching: typeof fetch,
): Promise<JobTokens> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: idToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    ...(scope === undefined ? {} : { scope }),
  });
  const answer = await fetching(`${url}/svc/oauth/token`, {
    method: 'POST',
    body: form,
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const body = await bodyOf(answer);
  if (!answer.ok) throw new Error(refusalText(answer.status, body.error));
  const { access_token, session_token, expires_in, scope: granted } = body;
  if (!isToken(access_token) || !(session_token === undefined || isToken(session_token)))
    throw new Error('the response of the lab is not the response to a token exchange');
  return {
    accessToken: access_token,
    sessionToken: session_token,
    expiresIn: Number(expires_in),
    scope: String(granted),
  };
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

async function bodyOf(answer: Response): Promise<Record<string, unknown>> {
  try {
    return (await answer.json()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function refusalText(status: number, error: unknown): string {
  switch (error) {
    case 'invalid_grant':
      return 'the lab did not accept the token of this job. An Admin sees the reason in the audit trail, and can test a token on the page CI jobs';
    case 'invalid_scope':
      return 'the trust rule does not grant the requested scope';
    case 'unsupported_grant_type':
      return 'the lab takes no tokens of CI jobs, because it has no public address (SVC_PUBLIC_URL)';
    case 'temporarily_unavailable':
      return 'the lab cannot check the token now. Try again in a minute';
    default:
      return `the lab answered with status ${status}`;
  }
}
