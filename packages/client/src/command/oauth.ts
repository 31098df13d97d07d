import { SvcError } from '../error.ts';

const ANSWER_MS = 30_000;
const LARGEST_ANSWER = 64 * 1024;

/** Response of a route below `/svc/oauth`. */
export interface OAuthAnswer {
  readonly status: number;
  /** Fields of the response's JSON body. Empty if the body is not a JSON object. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Value of `Retry-After` in seconds, or undefined if there is none. */
  readonly retryAfter: number | undefined;
}

/** Sends a form to a route below `/svc/oauth`. Throws a `SvcError` with the code `unreachable` if there is no response. */
export async function postForm(
  url: string,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<OAuthAnswer> {
  try {
    const answer = await fetch(`${url}/svc/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { accept: 'application/json' },
      // Do not follow redirects, because they could send the secrets in the form to another server.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await answer.text();
    const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return {
      status: answer.status,
      fields: text.length > LARGEST_ANSWER ? {} : fieldsOf(text),
      retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
    };
  } catch (cause) {
    throw new SvcError({
      status: 0,
      code: 'unreachable',
      requestId: null,
      message: `${url} did not answer`,
      cause,
    });
  }
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
