import { type Caller, type Clock, Unavailable } from '@svc/auth-core';
import type { ConnectionEnd, ConnectionHandle, OpenConnections } from '@svc/module';
import { ClientLeft, type Patience, type PhoneRequest, RightLost } from './phone-request.ts';
import type { WaitEnd } from './queue-counts.ts';
import type { Turn } from './turn-queue.ts';

/** Dependencies that the queue gives to each waiting request. */
export interface WaitingTools {
  readonly clock: Clock;
  readonly connections?: Pick<OpenConnections, 'add'> | undefined;
  /** Called once, before the promise of the request is settled. */
  ended(request: WaitingRequest, end: WaitEnd, waitedMs: number): void;
}

/**
 * A request that waits in the queue. Its wait ends once: by one of the methods, or because its client disconnects or
 * its sender loses the right to make it.
 */
export class WaitingRequest<R = unknown> implements Turn {
  readonly request: PhoneRequest<R>;
  /** Time in ms since 1970 at which the request began to wait. */
  readonly since: number;
  readonly until: number;
  readonly countedAs: string | null;
  /** Settles when the wait ends. */
  readonly result: Promise<R>;
  readonly #patience: Patience;
  readonly #tools: WaitingTools;
  #resolve!: (result: R) => void;
  #reject!: (error: unknown) => void;
  #handle: ConnectionHandle | undefined;
  #isOver = false;

  constructor(request: PhoneRequest<R>, patience: Patience, tools: WaitingTools) {
    this.request = request;
    this.since = tools.clock.now();
    this.until = patience.until;
    this.countedAs = request.countedAs;
    this.#patience = patience;
    this.#tools = tools;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Starts to watch for the client's disconnection and for changes of the sender's rights. */
  begin(): void {
    this.#patience.gone?.addEventListener('abort', this.#left);
    const { caller } = this.request;
    if (caller === null) return;
    this.#handle = this.#tools.connections?.add({
      caller,
      refusal: (current) => this.request.lostRight(current),
      close: (end) => this.refuse(errorOf(caller, end), 'refused'),
    });
  }

  /**
   * @returns the sender with their current rights, null if the request has no account, or undefined if the rights were
   * lost or cannot be checked at the moment
   */
  caller(): Caller | null | undefined {
    return this.#handle === undefined ? this.request.caller : (this.#handle.current() ?? undefined);
  }

  attempt(isLast: boolean): boolean {
    const caller = this.#isOver ? undefined : this.caller();
    if (this.#isOver) return false;
    try {
      if (caller === undefined) throw new Unavailable('the rights of a waiting request could not be checked');
      const result = this.request.take(caller);
      this.#end('served');
      this.#resolve(result);
      return false;
    } catch (error) {
      if (!isLast && (caller === undefined || this.request.canWait(error, caller, false))) return true;
      this.refuse(error, isLast ? 'timeout' : 'refused');
      return false;
    }
  }

  refuse(error: unknown, end: WaitEnd): void {
    if (this.#isOver) return;
    this.#end(end);
    this.#reject(error);
  }

  readonly #left = (): void => this.refuse(new ClientLeft(), 'left');

  #end(end: WaitEnd): void {
    this.#isOver = true;
    this.#patience.gone?.removeEventListener('abort', this.#left);
    this.#handle?.forget();
    const waitedMs = Math.max(0, this.#tools.clock.now() - this.since);
    this.#tools.ended(this as WaitingRequest, end, waitedMs);
    this.#patience.waited?.(waitedMs);
  }
}

function errorOf(caller: Caller, { kind, reason }: ConnectionEnd): Error {
  return kind === 'unverified' ? new Unavailable(reason) : new RightLost(caller, reason);
}
