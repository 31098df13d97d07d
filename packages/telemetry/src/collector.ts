import type { Clock, Log } from '@svc/auth-core';
import type { Outbound } from '@svc/outbound';
import { buildConnector, Pool } from 'undici';

export interface CollectorOptions {
  /** Address of the collector, without a trailing slash. */
  readonly endpoint: string;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly log: Log;
}

export type Signal = 'metrics' | 'traces';

/** Time limit of a request (ms). Data that the collector has not accepted by then is dropped. */
export const SEND_MS = 5_000;
const LOG_EVERY_MS = 10 * 60_000;
/** Maximum size of a response (bytes). Its content is not used. */
const LARGEST_ANSWER = 64 * 1024;
const CONNECTIONS = 2;

/**
 * What was logged last about metrics or traces: the time of the last logged failure, and whether sending was failing.
 */
interface LoggedState {
  failedAt: number | null;
  isFailing: boolean;
}

/**
 * Sends data to an OpenTelemetry collector with OTLP over HTTP in binary form, through the proxy in `SVC_PROXY` if
 * there is one. Redirects are not followed, no data is sent twice, and responses are discarded.
 */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #path: string;
  readonly #pool: Pool;
  readonly #logged: Readonly<Record<Signal, LoggedState>> = {
    metrics: { failedAt: null, isFailing: false },
    traces: { failedAt: null, isFailing: false },
  };

  constructor(options: CollectorOptions) {
    const { origin, pathname } = new URL(options.endpoint);
    this.#options = options;
    this.#path = pathname.replace(/\/+$/, '');
    this.#pool = new Pool(origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      connect: options.outbound.connector(buildConnector, {}, SEND_MS),
      headersTimeout: SEND_MS,
      bodyTimeout: SEND_MS,
    });
  }

  /**
   * Sends metrics or traces. Rejects if the collector does not accept them. Logs the failure first, but at most one
   * failure in ten minutes for each signal.
   */
  async send(signal: Signal, body: Uint8Array): Promise<void> {
    try {
      const { statusCode, body: answer } = await this.#pool.request({
        method: 'POST',
        path: `${this.#path}/v1/${signal}`,
        headers: { 'content-type': 'application/x-protobuf', 'user-agent': 'svc' },
        body,
        signal: AbortSignal.timeout(SEND_MS),
      });
      await answer.dump({ limit: LARGEST_ANSWER });
      if (statusCode < 200 || statusCode > 299) throw new Error(`it answered ${statusCode}`);
    } catch (error) {
      this.#failed(signal, error);
      throw error;
    }
    this.#sent(signal);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #failed(signal: Signal, error: unknown): void {
    const { endpoint, clock, log } = this.#options;
    const logged = this.#logged[signal];
    const now = clock.now();
    if (logged.failedAt !== null && Math.abs(now - logged.failedAt) < LOG_EVERY_MS) return;
    logged.failedAt = now;
    logged.isFailing = true;
    log.warn(`The collector of SVC_METRICS_ENDPOINT does not accept ${signal}, so ${signal} are dropped`, {
      endpoint,
      cause: String(error),
    });
  }

  #sent(signal: Signal): void {
    const logged = this.#logged[signal];
    if (!logged.isFailing) return;
    logged.isFailing = false;
    this.#options.log.info(`The collector of SVC_METRICS_ENDPOINT accepts ${signal} again`);
  }
}
