import {
  API_PREFIX,
  type BearerAudience,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
  type Route,
  routes,
  SENSITIVE_HEADERS,
  type SuccessOf,
  successStatus,
} from '@svc/contract';
import { bearerHeaders, type KeyPair, keyPairHeaders } from './credentials.ts';
import { SvcError } from './error.ts';

const ANSWER_MS = 30_000;

/** A key pair, a bearer token, or, outside a browser, the `name=value` of a sign-in's cookie. */
export type SvcCredential = KeyPair | { readonly bearer: string } | { readonly cookie: string };

export interface SvcClientOptions {
  /** Scheme, host and port of the service; a path is refused. */
  readonly url: string;
  readonly credential?: SvcCredential;
  /** Default 30 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface BearerInput {
  readonly audience?: BearerAudience;
  /** MCP scopes; only for `svc-mcp` (specification 5.3). */
  readonly scopes?: readonly string[];
}
export type IssuedBearer = SuccessOf<typeof routes.issueBearer>;

type Field<Name extends string, Value> = unknown extends Value
  ? unknown
  : Record<string, never> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

/** What a call of a route needs: its parameters, query and body, each where the route has one. */
export type CallInput<R extends Route> = Field<'params', ParamsOf<R>> &
  Field<'query', QueryOf<R>> &
  Field<'body', BodyOf<R>>;
type CallArguments<R extends Route> =
  Record<string, never> extends CallInput<R> ? [input?: CallInput<R>] : [input: CallInput<R>];

/** The parts of any route's call. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

interface Upload {
  readonly form: FormData;
  readonly signal: AbortSignal | undefined;
}

/** The REST API of one service, as one caller (contract 2). Every failure is a `SvcError`. */
export class SvcClient {
  readonly url: string;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;
  #credential: Record<string, string>;

  constructor({ url, credential, timeoutMs = ANSWER_MS, fetch = globalThis.fetch }: SvcClientOptions) {
    this.url = serviceOrigin(url);
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch;
    this.#credential = credential === undefined ? {} : headersOf(credential);
  }

  /** Calls any route of the contract; answers the body of its success. */
  call<R extends Route>(route: R, ...input: CallArguments<R>): Promise<SuccessOf<R>>;
  async call(route: Route, input: AnyInput = {}): Promise<unknown> {
    const answer = await this.#send(route, input);
    if (route.responses[successStatus(route)] === null) return undefined;
    const value = await answer.json().catch(() => undefined);
    if (value === undefined) throw unexpected(answer);
    return value;
  }

  /**
   * Signs in; later calls use this sign-in. In a browser the browser keeps the cookie, elsewhere this client does.
   */
  async signIn(email: string, password: string): Promise<void> {
    const answer = await this.#send(routes.login, { body: { email, password } });
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    this.#credential = cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  }

  async signOut(): Promise<void> {
    await this.call(routes.logout);
    this.#credential = {};
  }

  me(): Promise<SuccessOf<typeof routes.me>> {
    return this.call(routes.me);
  }

  capabilities(): Promise<SuccessOf<typeof routes.capabilities>> {
    return this.call(routes.capabilities);
  }

  issueBearer(input: BearerInput = {}): Promise<IssuedBearer> {
    const { audience, scopes } = input;
    const body = {
      ...(audience === undefined ? {} : { audience }),
      ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    };
    return this.call(routes.issueBearer, { body });
  }

  createToken(body: BodyOf<typeof routes.createToken>): Promise<SuccessOf<typeof routes.createToken>> {
    return this.call(routes.createToken, { body });
  }

  tokens(): Promise<SuccessOf<typeof routes.listTokens>> {
    return this.call(routes.listTokens);
  }

  /**
   * Adds an app to the library (contract 2). A `Blob` of a file, as `openAsBlob` gives it, is streamed. Takes as long
   * as it takes: `signal` ends it.
   */
  async uploadApp(
    file: Blob,
    name: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<SuccessOf<typeof routes.uploadApp>> {
    const form = new FormData();
    form.append(routes.uploadApp.file, file, name);
    const answer = await this.#send(routes.uploadApp, {}, { form, signal });
    return (await answer.json()) as SuccessOf<typeof routes.uploadApp>;
  }

  revokeToken(id: string): Promise<void> {
    return this.call(routes.revokeToken, { params: { id } });
  }

  async #send(route: Route, { params = {}, query = {}, body }: AnyInput, upload?: Upload): Promise<Response> {
    const { method, sensitive } = route;
    const headers: Record<string, string> = { ...this.#credential };
    // What a page of the service would send (specification 5.6); browsers set their own.
    if (method !== 'GET') headers.origin = this.url;
    if (sensitive) headers[SENSITIVE_HEADERS[0]] = 'true';
    if (body !== undefined) headers['content-type'] = 'application/json';
    const answer = await this.#fetch
      .call(undefined, `${this.url}${API_PREFIX}${pathOf(route, params)}${queryOf(query)}`, {
        method,
        headers,
        credentials: 'same-origin',
        // A redirect would send the pair's headers to the server it names.
        redirect: 'manual',
        ...(upload === undefined ? { signal: AbortSignal.timeout(this.#timeoutMs) } : sendable(upload)),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      .catch((cause: unknown) => {
        const message = `${this.url} did not answer`;
        throw new SvcError({ status: 0, code: 'unreachable', requestId: null, message, cause });
      });
    if (!answer.ok) throw await refusal(answer);
    return answer;
  }
}

function sendable({ form, signal }: Upload): RequestInit {
  return { body: form, ...(signal === undefined ? {} : { signal }) };
}

/** Each `:name` replaced by its value, which cannot leave its place. */
function pathOf({ path }: Route, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} is not usable in a path`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Scheme, host and port of a service's address. */
export function serviceOrigin(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const plain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (url === undefined || !plain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      'The address of the service is scheme, host and port, as in https://lab.example:4723',
    );
  }
  return url.origin;
}

function headersOf(credential: SvcCredential): Record<string, string> {
  if ('cookie' in credential) return { cookie: credential.cookie };
  return 'bearer' in credential ? bearerHeaders(credential.bearer) : keyPairHeaders(credential);
}

async function refusal(answer: Response): Promise<SvcError> {
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

function unexpected(answer: Response): SvcError {
  const { status, headers } = answer;
  return new SvcError({
    status,
    code: 'unexpected_answer',
    requestId: headers.get('x-request-id'),
    message: `Not an answer of the service (status ${status})`,
  });
}
