import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Log } from '@svc/auth-core';
import { HEADERS, REQUEST_ID } from '@svc/contract';
import { printable } from './printable.ts';
import { loggedPath } from './target.ts';

/** Logs a line at level `debug` for each WebDriver response and each closed socket. The logged path has no query. */
export class AccessLines {
  readonly #log: Pick<Log, 'debug'>;
  readonly #clock: Clock;

  constructor(log: Pick<Log, 'debug'>, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  request(req: IncomingMessage, res: ServerResponse): void {
    const line = this.#begin(req);
    const address = req.socket.remoteAddress ?? null;
    res.once('close', () => {
      const { statusCode: status, writableFinished: isWhole } = res;
      this.#log.debug('Request answered', { ...line(), status, address, ...(isWhole ? {} : { isWhole }) });
    });
  }

  upgrade(req: IncomingMessage, socket: Duplex): void {
    const line = this.#begin(req);
    const address = req.socket.remoteAddress ?? null;
    socket.once('close', () => {
      const { bytesWritten = 0 } = socket as { readonly bytesWritten?: number };
      this.#log.debug('Socket closed', { ...line(), bytesWritten, address });
    });
  }

  /**
   * Sets the request id header before the request is handled, so that all log lines about the request have the same id,
   * including those of a node.
   */
  #begin(req: IncomingMessage): () => object {
    const given = req.headers[HEADERS.requestId];
    const request = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    req.headers[HEADERS.requestId] = request;
    const began = this.#clock.now();
    const method = req.method ?? '';
    const path = printable(loggedPath(req.url ?? ''));
    return () => ({ request, method, path, ms: this.#clock.now() - began });
  }
}
