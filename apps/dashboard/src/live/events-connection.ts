/** An event of the lab (docs/guides/live-events.md). */
export interface LiveEvent {
  /** Absent on `history_lost`. */
  readonly id?: string;
  readonly type: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The part of a WebSocket that is used here. */
export interface EventSocket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

export interface ConnectionTools {
  /** Rejects if no ticket could be issued. If `isOver` is true for the error, the connection gives up. */
  ticket(): Promise<string>;
  open(query: string): EventSocket;
  isOver(error: unknown): boolean;
  /** Runs `task` once after `ms`; the returned function cancels it. */
  after(ms: number, task: () => void): () => void;
  /** A number from 0 to 1. */
  random(): number;
}

export interface ConnectionListener {
  event(event: LiveEvent): void;
  /** The connection is open. If `missed`, earlier events do not follow, so the shown data must be loaded again. */
  live(missed: boolean): void;
  lost(): void;
  /** The credential is no longer accepted. */
  over(error: unknown): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
const CREDENTIAL_ENDED = 1008;

/**
 * The page's connection for live events. Each connection uses a new ticket and continues after the last received event.
 * The delay between attempts grows and is partly random, so that the browsers do not all reconnect to a restarted
 * server at the same moment.
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
      // If an id was sent to resume from, the server reports events that it no longer has.
      this.#listener.live(resume === undefined);
    };
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code }) => {
      if (this.#isClosed || this.#socket !== socket) return;
      this.#socket = undefined;
      this.#listener.lost();
      // Requests a ticket immediately to check whether the credential has ended, because its refusal opens the sign-in
      // page.
      if (wasOpen && code === CREDENTIAL_ENDED && this.#failures === 0) {
        this.#failures = 1;
        void this.#connect();
      } else this.#later();
    };
  }

  #receive(text: string): void {
    if (this.#isClosed) return;
    const event: LiveEvent = JSON.parse(text);
    // A received event, unlike an open connection, shows that the server works.
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
