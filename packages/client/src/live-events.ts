import { SvcError } from './error.ts';
import type { SvcClient } from './rest-client.ts';
import type { LiveEvent } from './wire.ts';

/**
 * Part of a WebSocket that this module uses. The global class of browsers and Node 22 and the class of the package `ws`
 * have it.
 */
interface EventSocket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  close(): void;
}
// biome-ignore lint/suspicious/noExplicitAny: browsers, Node and `ws` type their sockets differently.
type WebSocketClass = new (url: string) => any;

export interface FollowOptions {
  onEvent(event: LiveEvent): void;
  /**
   * Called once if the service no longer accepts the credential, after which no event arrives. Not called after
   * `close`.
   */
  onEnd?(error: SvcError): void;
  /** Id of the last event that the caller has received. The service first sends the events that followed it. */
  readonly resume?: string;
  /** WebSocket class to use where the runtime has no global one, as in Node 20: `import { WebSocket } from 'ws'`. */
  readonly WebSocket?: WebSocketClass;
}

export interface FollowedEvents {
  /** Id of the last received event. Before the first event: the option `resume`, which may be undefined. */
  readonly lastId: string | undefined;
  close(): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Follows the live events that the credential gives access to (specification 6). Reopens a lost connection with a new
 * ticket and resumes after the last received event. Throws a `TypeError` if there is no WebSocket class.
 */
export function followEvents(client: SvcClient, options: FollowOptions): FollowedEvents {
  const WebSocket = options.WebSocket ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
  if (WebSocket === undefined)
    throw new TypeError('There is no global WebSocket; pass the class of the package ws');
  const following = new Following(client, WebSocket, options);
  void following.connect();
  return following;
}

class Following implements FollowedEvents {
  readonly #client: SvcClient;
  readonly #WebSocket: WebSocketClass;
  readonly #options: FollowOptions;
  #lastId: string | undefined;
  #wasOpen = false;
  #failures = 0;
  #isClosed = false;
  #socket: EventSocket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(client: SvcClient, WebSocket: WebSocketClass, options: FollowOptions) {
    this.#client = client;
    this.#WebSocket = WebSocket;
    this.#options = options;
    this.#lastId = options.resume;
  }

  get lastId(): string | undefined {
    return this.#lastId;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  async connect(): Promise<void> {
    try {
      const { ticket } = await this.#client.call('issueEventsTicket');
      if (!this.#isClosed) this.#open(ticket);
    } catch (error) {
      const refused = error instanceof SvcError && (error.status === 401 || error.status === 403);
      if (!refused) this.#later();
      else if (!this.#isClosed) this.#options.onEnd?.(error);
    }
  }

  #open(ticket: string): void {
    const resume = this.#lastId;
    const url = this.#client.socketUrl('liveEvents', { query: { ticket, resume } });
    const socket: EventSocket = new this.#WebSocket(url);
    this.#socket = socket;
    socket.onopen = () => {
      this.#failures = 0;
      // An earlier connection was lost before any event arrived. So this connection had no event id from which to
      // resume, and the events between the two connections may be missing.
      if (this.#wasOpen && resume === undefined) this.#reportLostEvents();
      this.#wasOpen = true;
    };
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = () => this.#later();
    // A WebSocket calls `onclose` after every error, and `onclose` reconnects, so the error itself needs no handling.
    socket.onerror = () => {};
  }

  #receive(text: string): void {
    if (this.#isClosed) return;
    const event: LiveEvent = JSON.parse(text);
    this.#lastId = event.id ?? this.#lastId;
    this.#options.onEvent(event);
  }

  #reportLostEvents(): void {
    const at = new Date().toISOString();
    this.#options.onEvent({ type: 'history_lost', at, payload: { lost: ['lab', 'audit', 'command'] } });
  }

  #later(): void {
    if (this.#isClosed) return;
    const ms = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.connect(), ms);
  }
}
