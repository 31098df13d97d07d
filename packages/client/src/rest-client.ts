import type {
  API_PREFIX as ApiPrefix,
  BearerAudience,
  CapabilitiesResponse,
  CreateTokenBody,
  CreateTokenResponse,
  MeResponse,
  ProfileTokenResponse,
  SENSITIVE_HEADERS,
  Static,
  TokenResponse,
} from '@svc/contract';
import { bearerHeaders, type KeyPair, keyPairHeaders } from './credentials.ts';
import { SvcError } from './error.ts';

const API_PREFIX: typeof ApiPrefix = '/svc/api';
const SENSITIVE: (typeof SENSITIVE_HEADERS)[0] = 'x-auto-is-sensitive';
const ANSWER_MS = 30_000;

export interface SvcClientOptions {
  /** Scheme, host and port of the service; a path is refused. */
  readonly url: string;
  readonly credential?: KeyPair | { readonly bearer: string };
  /** Default 30 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface BearerInput {
  readonly audience?: BearerAudience;
  /** MCP scopes; only for `svc-mcp` (specification 5.3). */
  readonly scopes?: readonly string[];
}
export type IssuedBearer = Static<typeof TokenResponse>;

interface RequestInput {
  readonly json?: unknown;
  readonly sensitive?: boolean;
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

  /**
   * Signs in; later calls are this person's. A browser keeps the cookie itself and shows it to nobody, elsewhere
   * this client does.
   */
  async signIn(email: string, password: string): Promise<void> {
    const answer = await this.#send('POST', '/auth/login', { json: { email, password }, sensitive: true });
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    this.#credential = cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  }

  async signOut(): Promise<void> {
    await this.#send('POST', '/auth/logout');
    this.#credential = {};
  }

  me(): Promise<Static<typeof MeResponse>> {
    return this.#json('GET', '/auth/me');
  }

  capabilities(): Promise<Static<typeof CapabilitiesResponse>> {
    return this.#json('GET', '/capabilities');
  }

  issueBearer(input: BearerInput = {}): Promise<IssuedBearer> {
    return this.#json('POST', '/auth/token', { json: input });
  }

  createToken(input: Static<typeof CreateTokenBody>): Promise<Static<typeof CreateTokenResponse>> {
    return this.#json('POST', '/profile/tokens', { json: input });
  }

  tokens(): Promise<Static<typeof ProfileTokenResponse>[]> {
    return this.#json('GET', '/profile/tokens');
  }

  async revokeToken(id: string): Promise<void> {
    await this.#send('DELETE', `/profile/tokens/${encodeURIComponent(id)}`);
  }

  async #json<T>(method: string, path: string, input?: RequestInput): Promise<T> {
    const answer = await this.#send(method, path, input);
    const value = await answer.json().catch(() => undefined);
    if (value === undefined) throw unexpected(answer);
    return value as T;
  }

  async #send(
    method: string,
    path: string,
    { json, sensitive = false }: RequestInput = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { ...this.#credential };
    // What a page of the service would send (specification 5.6); browsers set their own.
    if (method !== 'GET') headers.origin = this.url;
    if (sensitive) headers[SENSITIVE] = 'true';
    if (json !== undefined) headers['content-type'] = 'application/json';
    const answer = await this.#fetch
      .call(undefined, `${this.url}${API_PREFIX}${path}`, {
        method,
        headers,
        credentials: 'same-origin',
        // A redirect would carry the pair's headers to whoever it names.
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      .catch((cause: unknown) => {
        const message = `${this.url} did not answer`;
        throw new SvcError({ status: 0, code: 'unreachable', requestId: null, message, cause });
      });
    if (!answer.ok) throw await refusal(answer);
    return answer;
  }
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

function headersOf(credential: KeyPair | { readonly bearer: string }): Record<string, string> {
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
