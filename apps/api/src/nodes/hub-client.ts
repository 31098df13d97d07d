import { API_PREFIX, HEADERS } from '@svc/contract';
import type { Outbound } from '@svc/webdriver-gate';
import { Agent, request } from 'undici';

const ANSWER_MS = 10_000;
const LARGEST_ANSWER = 256 * 1024;

interface HubClientOptions {
  readonly hubUrl: string;
  readonly accessKey: string;
  readonly token: string;
  /** Certificate authorities to trust instead of the system's, PEM; null: the system's. */
  readonly ca: string | null;
  readonly outbound: Outbound;
}

export interface HubAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The hub's clock when it answered (ms); null: it did not say. */
  readonly date: number | null;
}

/** A node's calls to its hub. Follows no redirect: the key pair is for the hub alone. */
export class HubClient {
  readonly #options: HubClientOptions;
  readonly #agent: Agent;

  constructor(options: HubClientOptions) {
    this.#options = options;
    this.#agent = new Agent({
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
      maxResponseSize: LARGEST_ANSWER,
      connect: options.outbound.connector(options.ca === null ? {} : { ca: options.ca }, ANSWER_MS),
    });
  }

  async register(report: object): Promise<HubAnswer> {
    const { accessKey, token } = this.#options;
    return await this.#ask('/nodes', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [HEADERS.accessKey]: accessKey,
        [HEADERS.token]: token,
      },
      body: JSON.stringify(report),
    });
  }

  /** The hub's public keys; rejects unless it answers 200. */
  async keys(): Promise<unknown> {
    const { status, body } = await this.#ask('/auth/jwks.json', { method: 'GET' });
    if (status !== 200) throw new Error(`the hub answered ${status}`);
    return body;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #ask(
    path: string,
    options: { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
  ): Promise<HubAnswer> {
    const url = `${this.#options.hubUrl}${API_PREFIX}${path}`;
    const answer = await request(url, {
      ...options,
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(2 * ANSWER_MS),
    });
    const text = await answer.body.text();
    const date = Date.parse(String(answer.headers.date));
    return { status: answer.statusCode, body: jsonOf(text), date: Number.isNaN(date) ? null : date };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
