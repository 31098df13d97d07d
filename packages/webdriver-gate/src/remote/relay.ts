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
  /** Told when it is over; absent: nobody waits for it. */
  readonly turns?: CommandTurns;
  /** What it has a turn of; null: of nothing. */
  readonly turn?: string | null;
}

/** A longer one is no error as WebDriver has them. */
const LONGEST_ERROR = 16 * 1024;

/**
 * Hands a response on to the client as it comes, at the client's pace; it ends when the client is gone. One that comes
 * in one piece leaves in one.
 */
export class Relay implements Dispatcher.DispatchHandler {
  readonly #relayed: Relayed;
  #controller: Dispatcher.DispatchController | undefined;
  /** What is left to come, if the response says so. */
  #left = Number.NaN;
  #isEnded = false;
  #unknown: Buffer[] | undefined;
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

  /** No effect when the response is complete. */
  clientGone(): void {
    if (!this.#isEnded) this.#controller?.abort(new Error('the client is gone'));
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
    if (status === 404 && place.unknown !== undefined) this.#unknown = [];
    this.#left = Number(headers['content-length']);
    res.writeHead(status, statusMessage, clientHeaders(headers, place));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#unknown !== undefined) this.#keep(this.#unknown, chunk);
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
    place.heard?.();
    if (this.#unknown !== undefined && id !== null)
      place.unknown?.(id, Buffer.concat(this.#unknown, this.#size));
    if (last === undefined) res.end();
    else res.end(last);
  }

  #over(): void {
    this.#isEnded = true;
    const { turns, turn } = this.#relayed;
    if (turn != null) turns?.done(turn);
  }

  #keep(unknown: Buffer[], chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > LONGEST_ERROR) this.#unknown = undefined;
    else unknown.push(chunk);
  }
}

const RELAY = Symbol('svc.relay');
type Relayable = ServerResponse & { [RELAY]: Relay };

/** One for all responses: a closure for each costs a command microseconds. */
function clientClosed(this: Relayable): void {
  this[RELAY].clientGone();
}

/** A client would send its credentials after it, wherever it leads. No command is answered with one. */
function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399 && status !== 304;
}
