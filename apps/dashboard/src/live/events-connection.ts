/** What happened in the lab (docs/guides/live-events.md). */
export interface LiveEvent {
  /** Absent on `history_lost`. */
  readonly id?: string;
  readonly type: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What is used of a WebSocket. */
export interface EventSocket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

export interface ConnectionTools {
  /** Rejects when there is none; with one for which `isOver` is true, nothing is tried any more. */
  ticket(): Promise<string>;
  open(query: string): EventSocket;
  isOver(error: unknown): boolean;
  /** Runs `task` once; the answer cancels it. */
  after(ms: number, task: () => void): () => void;
  /** 0 to 1. */
  random(): number;
}

export interface ConnectionListener {
  event(event: LiveEvent): void;
  /** It is there; `missed`: what happened meanwhile does not follow, so what is shown has to be loaded anew. */
  live(missed: boolean): void;
  lost(): void;
  /** The credential is not accepted any more. */
  over(error: unknown): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
const CREDENTIAL_ENDED = 1008;

/**
 * The page's one connection of live events: each time with a ticket of its own, behind the last event that came, and
 * after growing pauses while it fails. A third of each pause is by chance, so that a server that comes back is not
 * asked by everybody at once.
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

  /** The network is back, or somebody looks again: no need to wait. */
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
      // With an id to resume behind, the server tells of what it has not got any more.
      this.#listener.live(resume === undefined);
    };
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code }) => {
      if (this.#isClosed || this.#socket !== socket) return;
      this.#socket = undefined;
      this.#listener.lost();
      // Asked at once whether the credential is really over: the answer is what leads to the sign-in page.
      if (wasOpen && code === CREDENTIAL_ENDED && this.#failures === 0) {
        this.#failures = 1;
        void this.#connect();
      } else this.#later();
    };
  }

  #receive(text: string): void {
    if (this.#isClosed) return;
    const event: LiveEvent = JSON.parse(text);
    // An answer of the server's own, not only an open line.
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
