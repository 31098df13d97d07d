import type { Caller, Log } from '@svc/auth-core';
import type { ConnectionEnd, ConnectionHandle, OpenConnections } from '@svc/module';
import type { WebSocket } from 'ws';
import type { EventFeed, EventReader } from './event-feed.ts';

interface Tools {
  readonly eventFeed: EventFeed;
  readonly openConnections: OpenConnections;
  readonly log: Log;
}

const MOST_OF_ACCOUNT = 512;
/** Time (ms) that a client has to complete the closing handshake. After this time, the connection is terminated. */
const CLOSE_MS = 1_000;

/** WebSocket close code for a client that has lost the right to read events (RFC 6455, 7.4.1). */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** Manages the open connections of `WS /events` (contract 2), and limits their number per account. */
export class EventConnections {
  readonly #tools: Tools;
  readonly #ofAccount = new Map<string, number>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  hasRoomFor({ account }: Caller): boolean {
    return (this.#ofAccount.get(account.id) ?? 0) < MOST_OF_ACCOUNT;
  }

  open(socket: WebSocket, caller: Caller, resume: string | undefined): void {
    // Check again, because the first check was before the upgrade, and several upgrades at the same time can pass it.
    if (!this.hasRoomFor(caller)) {
      close(socket, TRY_AGAIN_LATER);
      return;
    }
    const { eventFeed, openConnections, log } = this.#tools;
    const { id } = caller.account;
    this.#ofAccount.set(id, (this.#ofAccount.get(id) ?? 0) + 1);
    const handle = openConnections.add({
      caller,
      refusal: () => null,
      close: ({ kind, reason }: ConnectionEnd) => {
        log.info(`Event connection closed: ${reason}`, { caller: id });
        close(socket, kind === 'refused' ? POLICY_VIOLATION : INTERNAL_ERROR);
      },
    });
    socket.once('close', () => {
      leave();
      handle.forget();
      this.#left(id);
    });
    const leave = eventFeed.read(new SocketReader(socket, handle, log), resume);
  }

  #left(accountId: string): void {
    const left = (this.#ofAccount.get(accountId) ?? 1) - 1;
    if (left === 0) this.#ofAccount.delete(accountId);
    else this.#ofAccount.set(accountId, left);
  }
}

class SocketReader implements EventReader {
  readonly #socket: WebSocket;
  readonly #handle: ConnectionHandle;
  readonly #log: Log;

  constructor(socket: WebSocket, handle: ConnectionHandle, log: Log) {
    this.#socket = socket;
    this.#handle = handle;
    this.#log = log;
  }

  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  current(): Caller | null {
    return this.#socket.readyState === this.#socket.OPEN ? this.#handle.current() : null;
  }

  send(frame: Uint8Array, written: () => void): void {
    this.#socket.send(frame, TEXT, written);
  }

  drop(): void {
    this.#log.info('Event connection closed: it reads too slowly');
    close(this.#socket, TRY_AGAIN_LATER);
  }
}

const TEXT = { binary: false } as const;

/**
 * Closes a WebSocket. A client that does not read never receives the close frame, so its connection is terminated after
 * `CLOSE_MS`.
 */
function close(socket: WebSocket, code: number): void {
  socket.close(code);
  const timer = setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
