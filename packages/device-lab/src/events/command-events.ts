import type { ObservedCommand } from '../command-log/entry.ts';
import { maskText } from '../command-log/mask.ts';
import type { EventFeed } from './event-feed.ts';

/**
 * Fields of a command that its event contains. They are queued when the command has ended, and the event is created
 * from them a moment later.
 */
type Summary = Pick<
  ObservedCommand,
  'sessionId' | 'ownerId' | 'at' | 'method' | 'path' | 'status' | 'durationMs'
>;

const PAUSE_MS = 50;
const MOST_WAITING = 1_000;

/**
 * Creates the `session_command` events, which contain status and duration of a command but nothing of its bodies
 * (specification 6). They are created a moment after the command, so that no command waits for them.
 */
export class CommandEvents {
  readonly #feed: Pick<EventFeed, 'collects' | 'publish'>;
  #waiting: Summary[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(feed: Pick<EventFeed, 'collects' | 'publish'>) {
    this.#feed = feed;
  }

  /** Queues a command for an event. Does nothing if no reader is connected, so that commands stay fast. */
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
