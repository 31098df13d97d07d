import type { ObservedCommand } from '../command-log/entry.ts';
import { maskText } from '../command-log/mask.ts';
import type { EventFeed } from './event-feed.ts';

/** Fields of a command that are copied into its event. */
type Summary = Pick<
  ObservedCommand,
  'sessionId' | 'ownerId' | 'at' | 'method' | 'path' | 'status' | 'durationMs'
>;

const PAUSE_MS = 50;
const MOST_WAITING = 1_000;

/**
 * Creates the `session_command` events, which contain the status and the duration of a command, but nothing of its
 * bodies (specification 6). Commands are only queued at first, so that the response to a command does not wait for its
 * event.
 */
export class CommandEvents {
  readonly #feed: Pick<EventFeed, 'collects' | 'publish'>;
  #waiting: Summary[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(feed: Pick<EventFeed, 'collects' | 'publish'>) {
    this.#feed = feed;
  }

  /** Queues a command, from which an event is created later. Does nothing if no client reads live events. */
  note({ sessionId, ownerId, at, method, path, status, durationMs }: ObservedCommand): void {
    if (!this.#feed.collects) return;
    this.#waiting.push({ sessionId, ownerId, at, method, path, status, durationMs });
    if (this.#waiting.length >= MOST_WAITING) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), PAUSE_MS).unref();
  }

  /**
   * Publishes the events of queued commands. Called before any other event is published, so that events stay in order.
   */
  flush(): void {
    this.#timer = void clearTimeout(this.#timer);
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const { sessionId, ownerId, at, method, path, status, durationMs } of waiting) {
      this.#feed.publish('command', {
        type: 'session_command',
        at: at + durationMs,
        payload: { sessionId, method, path: maskText(path), status, durationMs },
        audience: { kind: 'session', ownerId },
      });
    }
  }
}
