import { SvcError } from './error.ts';
import type { RouteLine } from './wire.ts';

/**
 * Reads the body of a successful response. Throws a `SvcError` if the body cannot be read, or is not JSON although the
 * route returns JSON.
 */
export async function bodyOf(answer: Response, kind: RouteLine['answer']): Promise<unknown> {
  if (kind === 'none') return undefined;
  try {
    if (kind === 'text') return await answer.text();
    if (kind === 'bytes') return new Uint8Array(await answer.arrayBuffer());
    return await answer.json();
  } catch (cause) {
    throw unexpected(answer, cause);
  }
}

/** Converts an error response of the service to a `SvcError` with its code, message and other fields (contract 1). */
export async function refusal(answer: Response): Promise<SvcError> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null || !('error' in body) || typeof body.error !== 'string') {
    return unexpected(answer);
  }
  const { error, message, ...details } = body as { error: string; message?: unknown };
  return new SvcError({
    status: answer.status,
    code: error as SvcError['code'],
    requestId: answer.headers.get('x-request-id'),
    message: typeof message === 'string' ? `${error}: ${message}` : error,
    details,
  });
}

function unexpected(answer: Response, cause?: unknown): SvcError {
  const { status, headers } = answer;
  return new SvcError({
    status,
    code: 'unexpected_answer',
    requestId: headers.get('x-request-id'),
    message: `Not an answer of the service (status ${status})`,
    cause,
  });
}
