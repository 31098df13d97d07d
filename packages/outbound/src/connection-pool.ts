import type { Dispatcher, Pool } from 'undici';
import type { Outbound, ServerRules } from './outbound.ts';

/**
 * Maximum number of connections to one server, which all sessions share; further requests wait for a free one.
 * `CommandTurns` limits how many connections the commands of one session use.
 */
export const CONNECTIONS_PER_SERVER = 1024;

/**
 * Maximum time (ms) between two parts of a response body. The time does not run while reading is paused, because the
 * client takes the body too slowly.
 */
const BODY_MS = 5 * 60 * 1000;

/** Pool of connections to one server. */
export interface ConnectionPool {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  /** Closes all connections. Requests without a complete response fail with `error`. */
  destroy(error?: Error): Promise<void>;
}

/**
 * Creates a pool of connections to the server at `url`. The pool waits without limit for the start of a response,
 * because some commands take very long. If the server no longer responds, the caller must therefore destroy the pool to
 * end the waiting requests. The library undici is loaded at the first request, because many svc servers never need it.
 */
export function connectionPool(
  url: string,
  outbound: Outbound,
  rules: ServerRules = {},
  connections: number = CONNECTIONS_PER_SERVER,
): ConnectionPool {
  return new LaterPool(async () => {
    const { buildConnector, Pool: UndiciPool } = await import('undici');
    return new UndiciPool(url, {
      connections,
      pipelining: 1,
      connect: outbound.connector(buildConnector, rules),
      headersTimeout: 0,
      bodyTimeout: BODY_MS,
    });
  });
}

class LaterPool implements ConnectionPool {
  readonly #open: () => Promise<Pool>;
  #opening: Promise<Pool> | undefined;
  #pool: Pool | undefined;
  #isDestroyed = false;

  constructor(open: () => Promise<Pool>) {
    this.#open = open;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#pool !== undefined) {
      this.#pool.dispatch(options, handler);
      return;
    }
    this.#opened()
      .then((pool) => pool.dispatch(options, handler))
      .catch((error: Error) => handler.onResponseError?.(undefined as never, error));
  }

  async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return await (this.#pool ?? (await this.#opened())).request(options);
  }

  async destroy(error?: Error): Promise<void> {
    this.#isDestroyed = true;
    await (await this.#opening)?.destroy(error ?? null);
  }

  #opened(): Promise<Pool> {
    this.#opening ??= this.#open().then((pool) => {
      this.#pool = pool;
      if (this.#isDestroyed) void pool.destroy();
      return pool;
    });
    return this.#opening;
  }
}
