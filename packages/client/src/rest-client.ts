import { type AddressInput, addressOf, serviceOrigin } from './address.ts';
import { bodyOf, refusal } from './answer.ts';
import type {
  AddressArguments,
  AnswerOf,
  BodyOf,
  CallArguments,
  CallRoute,
  HttpRoute,
  RouteName,
  SocketRoute,
} from './calls.ts';
import { bearerHeaders, type KeyPair, keyPairHeaders } from './credentials.ts';
import { SvcError } from './error.ts';
import { type BearerAudience, ROUTE_LINES, SENSITIVE_HEADERS } from './wire.ts';

const ANSWER_MS = 30_000;

/**
 * Tokens that a CI job got from `ci-login`: a bearer token, and a session token with which sessions are created.
 * Neither is renewed.
 */
export interface JobCredential {
  readonly bearer: string;
  readonly sessionToken?: string;
}

/**
 * Credential of a client: a key pair, the tokens of a CI job, or the sign-in cookie as `name=value`. In a browser, the
 * cookie is not passed here, because the browser sends it itself.
 */
export type SvcCredential = KeyPair | JobCredential | { readonly cookie: string };

export interface SvcClientOptions {
  /** Scheme, host and port of the service. The constructor throws a `TypeError` for an address with a path. */
  readonly url: string;
  readonly credential?: SvcCredential;
  /**
   * Time limit of a call in milliseconds, 30 s by default. For a lease request, the client adds the time for which the
   * request may wait for a phone (`queueSeconds`).
   */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface BearerInput {
  readonly audience?: BearerAudience;
  /** MCP scopes of the token; allowed only for the audience `svc-mcp` (specification 5.3). */
  readonly scopes?: readonly string[];
  /**
   * Maximum number of sessions at a time, and maximum minutes that the token's sessions take per day together. Allowed
   * only for the audience `svc-mcp`.
   */
  readonly limits?: { readonly sessions?: number; readonly minutes?: number };
}
export type IssuedBearer = AnswerOf<'issueBearer'>;

interface AnyInput extends AddressInput {
  readonly body?: unknown;
}

interface Sending {
  readonly form?: FormData;
  /** Signal that aborts the request. If undefined, the request has no time limit. */
  readonly signal: AbortSignal | undefined;
}

/** Client of the REST API of one service, for one caller (contract 2). Every failed request throws a `SvcError`. */
export class SvcClient {
  readonly url: string;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;
  #keyPair: KeyPair | undefined;
  #job: JobCredential | undefined;
  #credential: Record<string, string>;

  constructor({ url, credential, timeoutMs = ANSWER_MS, fetch = globalThis.fetch }: SvcClientOptions) {
    this.url = serviceOrigin(url);
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch;
    this.#credential = credential === undefined ? {} : headersOf(credential);
    this.#keyPair = credential !== undefined && 'accessKey' in credential ? credential : undefined;
    this.#job = credential !== undefined && 'bearer' in credential ? credential : undefined;
  }

  /**
   * Tokens of a CI job, or undefined if the client uses another credential. Printing the client does not show them.
   */
  get jobCredential(): JobCredential | undefined {
    return this.#job;
  }

  /**
   * Key pair with which sessions are created, or undefined if the client uses another credential. Printing the client
   * does not show the key pair.
   */
  get keyPair(): KeyPair | undefined {
    return this.#keyPair;
  }

  /**
   * Calls a route by its name in the contract.
   * @returns the body of the successful response
   */
  call<N extends CallRoute>(name: N, ...input: CallArguments<N>): Promise<AnswerOf<N>>;
  async call(name: CallRoute, input: AnyInput = {}): Promise<unknown> {
    const signal = AbortSignal.timeout(this.#timeoutMs + queueMsOf(input.body));
    const answer = await this.#send(name, input, { signal });
    return bodyOf(answer, ROUTE_LINES[name].answer);
  }

  /**
   * Calls a route whose response is large or never ends. The call has no time limit.
   * @returns the response with its body unread
   */
  fetch<N extends HttpRoute>(
    name: N,
    ...input: [...CallArguments<N>, { readonly signal?: AbortSignal }?]
  ): Promise<Response>;
  fetch(name: HttpRoute, input: AnyInput = {}, { signal }: { signal?: AbortSignal } = {}): Promise<Response> {
    return this.#send(name, input, { signal });
  }

  /** @returns the `ws:` or `wss:` address of a route that is opened as a WebSocket */
  socketUrl<N extends SocketRoute>(name: N, ...input: AddressArguments<N>): string;
  socketUrl(name: SocketRoute, input: AddressInput = {}): string {
    return `${this.url.replace(/^http/, 'ws')}${addressOf(name, input)}`;
  }

  /**
   * Signs in and uses this sign-in for later calls. A browser stores the sign-in cookie itself; in other runtimes this
   * client stores it.
   */
  async signIn(email: string, password: string): Promise<void> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const answer = await this.#send('login', { body: { email, password } }, { signal });
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    this.#credential = cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
    this.#keyPair = undefined;
    this.#job = undefined;
  }

  async signOut(): Promise<void> {
    await this.call('logout');
    this.#credential = {};
    this.#keyPair = undefined;
    this.#job = undefined;
  }

  me(): Promise<AnswerOf<'me'>> {
    return this.call('me');
  }

  capabilities(): Promise<AnswerOf<'capabilities'>> {
    return this.call('capabilities');
  }

  issueBearer(input: BearerInput = {}): Promise<IssuedBearer> {
    const { audience, scopes, limits } = input;
    const body = {
      ...(audience === undefined ? {} : { audience }),
      ...(scopes === undefined ? {} : { scopes: [...scopes] }),
      ...(limits === undefined ? {} : { limits }),
    };
    return this.call('issueBearer', { body });
  }

  createToken(body: BodyOf<'createToken'>): Promise<AnswerOf<'createToken'>> {
    return this.call('createToken', { body });
  }

  tokens(): Promise<AnswerOf<'listTokens'>> {
    return this.call('listTokens');
  }

  /**
   * Adds an app to the library (contract 2). A file that `openAsBlob` returns is streamed from the disk. There is no
   * time limit, because a file can be large; `signal` aborts the upload.
   */
  async uploadApp(
    file: Blob,
    name: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<AnswerOf<'uploadApp'>> {
    const { file: field = '', answer: kind } = ROUTE_LINES.uploadApp;
    const form = new FormData();
    form.append(field, file, name);
    const answer = await this.#send('uploadApp', {}, { form, signal });
    return (await bodyOf(answer, kind)) as AnswerOf<'uploadApp'>;
  }

  revokeToken(id: string): Promise<void> {
    return this.call('revokeToken', { params: { id } });
  }

  async #send(name: RouteName, input: AnyInput, { form, signal }: Sending): Promise<Response> {
    const { method, sensitive } = ROUTE_LINES[name];
    const { body } = input;
    const headers: Record<string, string> = { ...this.#credential };
    // The service checks the `Origin` of requests that change something, so send the value that a page of the service
    // would send (specification 5.6). A browser replaces this value with its own.
    if (method !== 'GET') headers.origin = this.url;
    if (sensitive) headers[SENSITIVE_HEADERS.own] = 'true';
    if (body !== undefined) headers['content-type'] = 'application/json';
    const answer = await this.#fetch
      .call(undefined, `${this.url}${addressOf(name, input)}`, {
        method,
        headers,
        credentials: 'same-origin',
        // Redirects are not followed, because they would send the key pair's headers to the server that the redirect
        // names.
        redirect: 'manual',
        ...(signal === undefined ? {} : { signal }),
        ...(form === undefined ? {} : { body: form }),
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

function headersOf(credential: SvcCredential): Record<string, string> {
  if ('cookie' in credential) return { cookie: credential.cookie };
  return 'bearer' in credential ? bearerHeaders(credential.bearer) : keyPairHeaders(credential);
}

/** @returns the time (ms) for which the service may hold a lease request until a phone is free (contract 13) */
function queueMsOf(body: unknown): number {
  const { queueSeconds } = (body ?? {}) as { readonly queueSeconds?: unknown };
  return typeof queueSeconds === 'number' && queueSeconds > 0 ? queueSeconds * 1_000 : 0;
}
