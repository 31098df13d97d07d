import type { IncomingHttpHeaders } from 'node:http';
import type { Agent } from 'undici';
import type { Outbound } from './outbound.ts';

const ANSWER_MS = 10_000;

interface JsonClientOptions {
  /** Common beginning of the request URLs: scheme, host, port and path prefix. */
  readonly url: string;
  /** Certificate authorities (PEM) to trust instead of the system's, or null to trust the system's. */
  readonly ca: string | null;
  readonly outbound: Outbound;
  /** Maximum size of a response in bytes. */
  readonly largest: number;
  /** Maximum number of connections. Further calls wait for a free one; unlimited by default. */
  readonly connections?: number;
}

interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Request headers, such as credentials; none by default. */
  readonly headers?: IncomingHttpHeaders;
  readonly json?: object;
}

export interface JsonAnswer {
  readonly status: number;
  /** Body parsed from JSON, or null if it is not JSON. */
  readonly body: unknown;
  /** Time of the response by the other server's clock (ms), or null if the response has no valid `Date` header. */
  readonly date: number | null;
}

/**
 * Calls the JSON API of another server. Does not follow redirects, because the credentials in the request headers must
 * not be sent to a third server.
 */
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
