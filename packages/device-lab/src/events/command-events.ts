import type { ObservedCommand } from '../command-log/entry.ts';
import { maskText } from '../command-log/mask.ts';
import type { EventFeed } from './event-feed.ts';

/** What is kept of a command until its event is put together, off the command's way. */
type Summary = Pick<
  ObservedCommand,
  'sessionId' | 'ownerId' | 'at' | 'method' | 'path' | 'status' | 'durationMs'
>;

const PAUSE_MS = 50;
const MOST_WAITING = 1_000;

/**
 * The `session_command` events: that a command was answered, how and how fast, nothing of what it carried or saw
 * (specification 6). Put together a moment later, so that a command waits for nobody who watches.
 */
export class CommandEvents {
  readonly #feed: Pick<EventFeed, 'collects' | 'publish'>;
  #waiting: Summary[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(feed: Pick<EventFeed, 'collects' | 'publish'>) {
    this.#feed = feed;
  }

  /** One comparison while nobody watches. */
  note({ sessionId, ownerId, at, method, path, status, durationMs }: ObservedCommand): void {
    if (!this.#feed.collects) return;
    this.#waiting.push({ sessionId, ownerId, at, method, path, status, durationMs });
    if (this.#waiting.length >= MOST_WAITING) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), PAUSE_MS).unref();
  }

  /** Publishes what waits; called before any other event, so that events keep the order of what happened. */
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
