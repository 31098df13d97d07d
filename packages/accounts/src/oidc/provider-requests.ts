import { boundedFetch, type FetchRequest, type Outbound, OutOfBounds } from '@svc/outbound';
import { ProviderError } from './types.ts';

/** Time limit (ms) for all requests of one step together. For steps, see `ProviderRequests` (contract 10.1). */
const TIME_LIMIT_MS = 10_000;
/** Maximum size of a response in bytes. The discovery documents and key sets of large providers have about 20 KiB. */
const LARGEST_ANSWER = 256 * 1024;
/**
 * Maximum number of steps that wait for the provider at the same time. Unauthenticated clients can start sign-ins, so
 * without a limit they could cause any number of open requests.
 */
const MOST_STEPS = 64;

/** Hosts of some issuers' endpoints that are not the issuer's own host. The keys are the hosts of the issuers. */
const COMPANION_HOSTS: Readonly<Record<string, readonly string[]>> = {
  'accounts.google.com': ['oauth2.googleapis.com', 'www.googleapis.com', 'openidconnect.googleapis.com'],
  'login.microsoftonline.com': ['graph.microsoft.com'],
};

/** Function that sends a request to the provider, with the type of `fetch`. */
export type ProviderFetch = (address: string, request: FetchRequest) => Promise<Response>;

/**
 * Runs steps. A step is a task that needs one or more requests to the provider, such as the exchange of an
 * authorization code. All requests of a step share one time limit, so that a slow provider does not block this server.
 * They are sent only to the issuer's hosts and follow no redirect, so that a hostile provider cannot make this server
 * send requests to other hosts.
 */
export class ProviderRequests {
  readonly #outbound: Outbound;
  readonly #issuer: URL;
  readonly #timeLimitMs: number;
  #steps = 0;

  constructor(outbound: Outbound, issuer: string, timeLimitMs = TIME_LIMIT_MS) {
    this.#outbound = outbound;
    this.#issuer = new URL(issuer);
    this.#timeLimitMs = timeLimitMs;
  }

  /**
   * Runs a step. Rejects with a `ProviderError`: of kind `unavailable` if the provider did not respond in time or with
   * a 5xx status, or if too many steps are running, and of kind `failed` for every other error.
   */
  async step<T>(work: (fetch: ProviderFetch) => Promise<T>): Promise<T> {
    if (this.#steps >= MOST_STEPS)
      throw new ProviderError('unavailable', `${MOST_STEPS} requests already wait for the provider`);
    this.#steps += 1;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#timeLimitMs);
    const send = boundedFetch(this.#outbound, {
      mayReach: (url) => this.#mayReach(url),
      largest: LARGEST_ANSWER,
      signal: late.signal,
    });
    let silence: string | undefined;
    try {
      return await work(async (address, request) => {
        try {
          const response = await send(address, request);
          if (response.status >= 500) silence = `status ${response.status} from ${new URL(address).pathname}`;
          return response;
        } catch (error) {
          if (!(error instanceof OutOfBounds)) silence = `no answer from ${new URL(address).pathname}`;
          throw error;
        }
      });
    } catch (error) {
      if (silence !== undefined) throw new ProviderError('unavailable', silence);
      throw error instanceof ProviderError ? error : new ProviderError('failed', reasonOf(error));
    } finally {
      clearTimeout(timer);
      this.#steps -= 1;
    }
  }

  #mayReach({ protocol, host }: URL): boolean {
    const hosts = [this.#issuer.host, ...(COMPANION_HOSTS[this.#issuer.host] ?? [])];
    return protocol === this.#issuer.protocol && hosts.includes(host);
  }
}

/**
 * @returns why a request failed, in words that come from the libraries. Texts that could quote the provider's response
 * are left out, because they could contain secrets.
 */
function reasonOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof OutOfBounds) return each.message;
  }
  const { code, error: oauthCode, message } = error as { code?: unknown; error?: unknown; message?: unknown };
  const words = [message, code, oauthCode].filter(
    (word): word is string => typeof word === 'string' && /^[\x20-\x7e]{1,120}$/.test(word),
  );
  return words.join(': ') || 'the answer of the provider does not hold';
}
