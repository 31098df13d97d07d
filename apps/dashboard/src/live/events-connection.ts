import type { LiveEvent } from '@svc/contract';

/** Part of a WebSocket that this module uses, so that tests can replace it. */
export interface EventSocket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

export interface ConnectionTools {
  /**
   * Requests a ticket: a secret that opens one WebSocket, in which a browser cannot send an `Authorization` header.
   * Rejects if it receives no ticket. The connection then gives up if `isOver` returns true for the error, and
   * otherwise tries again later.
   */
  ticket(): Promise<string>;
  open(query: string): EventSocket;
  isOver(error: unknown): boolean;
  /** Runs `task` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, task: () => void): () => void;
  /** Returns a random number from 0 to 1. */
  random(): number;
}

export interface ConnectionListener {
  event(event: LiveEvent): void;
  /**
   * Called when the connection is open. If `missed` is true, events may have been lost, so the shown data must be
   * loaded again.
   */
  live(missed: boolean): void;
  lost(): void;
  /** Called when the connection has given up, because `isOver` returned true for the error of a ticket request. */
  over(error: unknown): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
const CREDENTIAL_ENDED = 1008;

/**
 * WebSocket on which the page receives live events. Reconnects when the socket closes, and then asks the server for the
 * events after the last received one. The delay between attempts grows and is partly random, so that not all browsers
 * reconnect to a restarted server at the same moment.
 */
export class EventsConnection {
  readonly #tools: ConnectionTools;
  readonly #listener: ConnectionListener;
  #socket: EventSocket | undefined;
  #cancelRetry: (() => void) | undefined;
  #lastId: string | undefined;
  #failures = 0;
  #isAsking = false;
  #isClosed = false;

  constructor(tools: ConnectionTools, listener: ConnectionListener) {
    this.#tools = tools;
    this.#listener = listener;
  }

  start(): void {
    void this.#connect();
  }

  /** Reconnects immediately, because the network is back or the user returned to the page. */
  retryNow(): void {
    if (this.#cancelRetry === undefined) return;
    this.#failures = 0;
    this.#cancelRetry();
    void this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#socket?.close();
  }

  async #connect(): Promise<void> {
    this.#cancelRetry = undefined;
    if (this.#isClosed || this.#isAsking || this.#socket !== undefined) return;
    this.#isAsking = true;
    try {
      const ticket = await this.#tools.ticket();
      if (!this.#isClosed) this.#open(ticket);
    } catch (error) {
      if (this.#isClosed) return;
      if (this.#tools.isOver(error)) this.#listener.over(error);
      else this.#later();
    } finally {
      this.#isAsking = false;
    }
  }

  #open(ticket: string): void {
    const resume = this.#lastId;
    const query = new URLSearchParams({ ticket, ...(resume === undefined ? {} : { resume }) });
    const socket = this.#tools.open(query.toString());
    this.#socket = socket;
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      // With `resume`, the server sends the missed events, or `history_lost` if it no longer has them. Without `resume`
      // it sends no missed events, so the listener must reload its data.
      this.#listener.live(resume === undefined);
    };
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code }) => {
      if (this.#isClosed || this.#socket !== socket) return;
      this.#socket = undefined;
      this.#listener.lost();
      // The server closed the connection because the credential has ended. Request a new ticket immediately, because
      // this request shows whether the user is still signed in. If a second connection ends in this way before it
      // delivers an event, wait before the next attempt.
      if (wasOpen && code === CREDENTIAL_ENDED && this.#failures === 0) {
        this.#failures = 1;
        void this.#connect();
      } else this.#later();
    };
  }

  #receive(text: string): void {
    if (this.#isClosed) return;
    const event: LiveEvent = JSON.parse(text);
    // The count of failures is reset only by an event, because an open connection alone does not show that the server
    // works.
    this.#failures = 0;
    this.#lastId = event.id ?? this.#lastId;
    this.#listener.event(event);
  }

  #later(): void {
    this.#listener.lost();
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    const ms = pause * (2 / 3 + this.#tools.random() / 3);
    this.#cancelRetry = this.#tools.after(ms, () => void this.#connect());
  }
}
