import type { IncomingHttpHeaders } from 'node:http';
import type { Agent } from 'undici';
import type { Outbound } from './outbound.ts';

const ANSWER_MS = 10_000;

interface JsonClientOptions {
  /** Start of every address: scheme, host, port and path prefix. */
  readonly url: string;
  /** Certificate authorities to trust instead of the system's, PEM; null: the system's. */
  readonly ca: string | null;
  readonly outbound: Outbound;
  /** Bytes of an answer. */
  readonly largest: number;
  /** Maximum number of connections, beyond which calls wait; unlimited by default. */
  readonly connections?: number;
}

interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Credentials, for example; none by default. */
  readonly headers?: IncomingHttpHeaders;
  readonly json?: object;
}

export interface JsonAnswer {
  readonly status: number;
  /** Parsed; null: no JSON. */
  readonly body: unknown;
  /** The other server's clock when it answered (ms); null: it did not say. */
  readonly date: number | null;
}

/** One server's calls to the API of another. Follows no redirect: a key pair is for that server alone. */
export class JsonClient {
  readonly #options: JsonClientOptions;
  #agent: Agent | undefined;

  constructor(options: JsonClientOptions) {
    this.#options = options;
  }

  async ask(path: string, { method, headers, json }: Asked): Promise<JsonAnswer> {
    const { Agent, buildConnector, request } = await import('undici');
    const { url, ca, outbound, largest, connections } = this.#options;
    this.#agent ??= new Agent({
      ...(connections === undefined ? {} : { connections }),
      headersTimeout: 2 * ANSWER_MS,
      bodyTimeout: ANSWER_MS,
      maxResponseSize: largest,
      connect: outbound.connector(buildConnector, ca === null ? {} : { ca }, ANSWER_MS),
    });
    const answer = await request(`${url}${path}`, {
      method,
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(2 * ANSWER_MS),
    });
    const text = await answer.body.text();
    const date = Date.parse(String(answer.headers.date));
    return { status: answer.statusCode, body: jsonOf(text), date: Number.isNaN(date) ? null : date };
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
