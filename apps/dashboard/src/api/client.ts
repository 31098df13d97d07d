import { ROUTES } from 'virtual:routes';
import type { CallInput } from '@svc/client';
import type { routes, SuccessOf } from '@svc/contract';
import { apiAddress } from './addresses.ts';
import { ApiError } from './api-error.ts';
import { makeFresh } from './fresh-sign-in.ts';
import { leaveSignedOut } from './signed-out.ts';

type Routes = typeof routes;
/** Name of a route in the contract. */
export type RouteName = keyof Routes;
/** Body of a successful response to the route. */
export type Answer<Name extends RouteName> = SuccessOf<Routes[Name]>;

interface Extra {
  readonly signal?: AbortSignal;
  /** Form that is sent instead of a JSON body to a route that accepts a file. */
  readonly form?: FormData;
  /**
   * If true, the call has no time limit. The default is true with `form` and false without. `signal` can still abort
   * the request.
   */
  readonly mayTakeLong?: boolean;
}
type Arguments<Name extends RouteName> =
  Record<string, never> extends CallInput<Name>
    ? [input?: CallInput<Name> & Extra]
    : [input: CallInput<Name> & Extra];

interface AnyInput extends Extra {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

const ANSWER_MS = 30_000;

/**
 * Calls a route of the API by its name in the contract. Rejects with an `ApiError`, or with the signal's reason if the
 * signal aborts the request. If the user's sign-in has ended, opens the sign-in page and never settles. If the route
 * requires a fresh sign-in, asks the user to prove who they are and repeats the call once.
 */
export function call<Name extends RouteName>(name: Name, ...input: Arguments<Name>): Promise<Answer<Name>>;
export async function call(name: string, input: AnyInput = {}): Promise<unknown> {
  try {
    return await callOnce(name, input);
  } catch (error) {
    const isStale = error instanceof ApiError && error.code === 'fresh_sign_in_required';
    if (!isStale || !(await makeFresh())) throw error;
    return callOnce(name, input);
  }
}

async function callOnce(name: string, input: AnyInput): Promise<unknown> {
  const [method, path, marks] = ROUTES[name] as [string, string, string];
  const answer = await send(method, pathWith(path, input.params) + queryOf(input.query), marks, input);
  if (answer.status === 204) return undefined;
  const body = await bodyOf(answer);
  if (answer.ok) return body;
  if (answer.status === 401 && !marks.includes('p') && leaveSignedOut()) return new Promise(() => {});
  const { error, message, ...fields } = body;
  throw new ApiError({
    status: answer.status,
    code: error as ApiError['code'],
    ...(typeof message === 'string' ? { message } : {}),
    requestId: answer.headers.get('x-request-id'),
    fields,
  });
}

async function send(method: string, path: string, marks: string, input: AnyInput): Promise<Response> {
  const { body, form, signal, mayTakeLong = form !== undefined } = input;
  const ends = [...(mayTakeLong ? [] : [AbortSignal.timeout(ANSWER_MS)]), ...(signal ? [signal] : [])];
  try {
    return await fetch(apiAddress(path), {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      headers: {
        ...(marks.includes('s') ? { 'x-auto-is-sensitive': 'true' } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.any(ends),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form === undefined ? {} : { body: form }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({ status: 0, code: 'unreachable' });
  }
}

async function bodyOf(answer: Response): Promise<Record<string, unknown> & { error?: string }> {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  const body: unknown = isJson ? await answer.json().catch(() => undefined) : undefined;
  const isRefusal = typeof body === 'object' && body !== null && 'error' in body;
  if (body === undefined || (!answer.ok && !isRefusal)) {
    throw new ApiError({ status: answer.status, code: 'unexpected_answer' });
  }
  return body as Record<string, unknown>;
}

function pathWith(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? '';
    // An empty value, `.` or `..` would change the path, so the request would reach another route.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is not usable in a path`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
