import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import type { CommandTurns } from './command-turns.ts';
import { clientHeaders } from './headers.ts';
import type { RemotePlace } from './place.ts';

export type Failed = (error: unknown) => void;

export interface Relayed {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly id: string | null;
  readonly place: RemotePlace;
  readonly failed: Failed;
  /** Limits how many requests with the same id run at the same time. Absent if they are not limited. */
  readonly turns?: CommandTurns;
  /** Id under which `turns` counts the request, or null if the request is not limited. */
  readonly turn?: string | null;
}

/** Maximum size in bytes of a 404 body that is passed to `notFound`. Longer bodies are not collected. */
const LONGEST_ERROR = 16 * 1024;

/**
 * Streams a response to the client as fast as the client reads, and aborts the response when the client disconnects. A
 * response that arrives in one chunk is sent in one write.
 */
export class Relay implements Dispatcher.DispatchHandler {
  readonly #relayed: Relayed;
  #controller: Dispatcher.DispatchController | undefined;
  /** Number of bytes of the body that are still to come, or NaN if the response has no Content-Length. */
  #left = Number.NaN;
  #isEnded = false;
  #notFound: Buffer[] | undefined;
  #size = 0;

  constructor(relayed: Relayed) {
    this.#relayed = relayed;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { res } = this.#relayed;
    this.#controller = controller;
    (res as Relayable)[RELAY] = this;
    res.on('close', clientClosed);
    if (res.destroyed) this.clientGone();
  }

  /** Aborts the response unless it is complete. Called when the client disconnects. */
  clientGone(): void {
    if (!this.#isEnded) this.#controller?.abort(new Error('the client disconnected'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    if (status < 200) return;
    const { req, res, id, place } = this.#relayed;
    if (id !== null && isRedirect(status)) {
      controller.abort(new Error(`it redirects (status ${status})`));
      return;
    }
    place.answered(req, id, status);
    if (status === 404 && place.notFound !== undefined) this.#notFound = [];
    this.#left = Number(headers['content-length']);
    res.writeHead(status, statusMessage, clientHeaders(headers, place));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#notFound !== undefined) this.#keep(this.#notFound, chunk);
    const { res } = this.#relayed;
    this.#left -= chunk.length;
    if (this.#left === 0) {
      this.#end(chunk);
    } else if (!res.write(chunk)) {
      controller.pause();
      res.once('drain', () => controller.resume());
    }
  }

  onResponseEnd(): void {
    if (!this.#isEnded) this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    if (this.#isEnded) return;
    this.#over();
    this.#relayed.failed(error);
  }

  #end(last?: Buffer): void {
    this.#over();
    const { res, id, place } = this.#relayed;
    place.responded?.();
    if (this.#notFound !== undefined && id !== null)
      place.notFound?.(id, Buffer.concat(this.#notFound, this.#size));
    if (last === undefined) res.end();
    else res.end(last);
  }

  #over(): void {
    this.#isEnded = true;
    const { turns, turn } = this.#relayed;
    if (turn != null) turns?.done(turn);
  }

  #keep(kept: Buffer[], chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > LONGEST_ERROR) this.#notFound = undefined;
    else kept.push(chunk);
  }
}

const RELAY = Symbol('svc.relay');
type Relayable = ServerResponse & { [RELAY]: Relay };

/**
 * Listener for `close`. All responses share this function, because creating a closure for each response would cost
 * microseconds per command.
 */
function clientClosed(this: Relayable): void {
  this[RELAY].clientGone();
}

/**
 * Returns whether the status is a redirect. Redirects are refused: WebDriver commands never redirect, and a client
 * might send its credentials to the new address.
 */
function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399 && status !== 304;
}
