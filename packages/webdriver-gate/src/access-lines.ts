import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Log } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import { printable } from './printable.ts';
import { requestIdOf } from './request-origin.ts';
import { loggedPath } from './target.ts';

const WAITED = Symbol('svc.waited');
type Waited = IncomingMessage & { [WAITED]?: number };

/**
 * Stores in the request for how long (ms) a create-session request has waited for a phone. The access log reads it
 * (contract 13).
 */
export function noteWait(req: IncomingMessage, ms: number): void {
  const waited: Waited = req;
  waited[WAITED] = (waited[WAITED] ?? 0) + ms;
}

/** @returns the time (ms) that the request has waited for a phone, or undefined if it did not wait */
export function waitOf(req: IncomingMessage): number | undefined {
  return (req as Waited)[WAITED];
}

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
      const waitedMs = waitOf(req);
      const details = { ...(waitedMs === undefined ? {} : { waitedMs }), ...(isWhole ? {} : { isWhole }) };
      this.#log.debug('Request answered', { ...line(), status, address, ...details });
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
   * Writes the request id to the request's header, so that a node to which the request is forwarded logs the same id.
   * @returns a function that returns the request's fields for a log line, with the time since this call in ms
   */
  #begin(req: IncomingMessage): () => object {
    const request = requestIdOf(req);
    req.headers[HEADERS.requestId] = request;
    const began = this.#clock.now();
    const method = req.method ?? '';
    const path = printable(loggedPath(req.url ?? ''));
    return () => ({ request, method, path, ms: this.#clock.now() - began });
  }
}
