import type { Caller, Clock, Random } from '@svc/auth-core';
import { maySeeEvent } from '../visibility/see-event.ts';
import { EVENT_KINDS, EventHistory, type EventKind, type FeedEvent, type Gaps } from './event-history.ts';
import type { LabEvent } from './lab-events.ts';

/** A connected client that reads live events. */
export interface EventReader {
  /**
   * @returns the caller of the connection with their current rights, or null if no event can be sent to the connection
   * at the moment
   */
  current(): Caller | null;
  /** Sends one text frame. Calls `written` once the frame has been passed to the network. */
  send(frame: Uint8Array, written: () => void): void;
  /** Number of bytes that the network has not accepted yet. */
  readonly waiting: number;
  /**
   * Called when the feed has removed the reader, because an event that the reader has not received yet was evicted from
   * the history.
   */
  drop(): void;
}

interface Reading {
  readonly reader: EventReader;
  /**
   * Sequence number of the last event in the history that was sent to the reader, or skipped because the reader is not
   * allowed to see it.
   */
  place: number;
  /** For each kind of event, the sequence number up to which the reader knows that events are missing. */
  known: Gaps | undefined;
  /**
   * Callback that is passed to each call of `send`. Created once per reader, to avoid a new function for each frame.
   */
  readonly written: () => void;
  isOver: boolean;
}

/**
 * Number of unsent bytes above which a reader gets no further events until its network connection has accepted some of
 * the bytes.
 */
const MOST_WAITING = 64 * 1024;
/** Maximum number of frames that are sent to one reader before the feed continues with the next reader. */
const MOST_AT_ONCE = 500;
/**
 * Time (ms) for which commands and audit rows are still added to the history after the last reader has disconnected, so
 * that a reader that reconnects can get them.
 */
const COLLECTED_MS = 60_000;
/** Interval (ms) at which the feed tries again to send events to readers to which it could not send before. */
const LOOK_EVERY_MS = 1_000;
const LARGEST_FRAME = 32 * 1024;
/** Maximum number of readers that are served in one turn of the event loop. */
const READERS_AT_ONCE = 16;
/**
 * Number of published events after which the waiting events are immediately sent to all readers. The history keeps far
 * more events, so none is evicted before the feed has tried to send it.
 */
const MOST_UNSERVED = 200;
const MOST_UNSERVED_BYTES = 128 * 1024;

const LOST = 'history_lost';
const UTF8 = new TextEncoder();

/**
 * Sends live events to readers (specification 6). The readers share one history. For each reader, the feed stores the
 * position of the last event that was sent, and sends the next events as fast as the reader's network connection
 * accepts them. If an event that a reader has not received is evicted, the feed disconnects this reader. For each
 * event, the feed checks whether the reader's current role and teams allow the reader to see it.
 */
export class EventFeed {
  readonly #clock: Clock;
  readonly #random: Pick<Random, 'uuid'>;
  readonly #history = new EventHistory();
  readonly #readings = new Set<Reading>();
  /** Readers that are still to be served in the current round. In each round, every reader is served once. */
  #round: Reading[] = [];
  #serving: NodeJS.Immediate | undefined;
  /**
   * Number and total size (bytes) of the events that were published since the current round began. If either exceeds
   * its limit, all readers are served immediately.
   */
  #unserved = { events: 0, bytes: 0 };
  #collects = false;
  #idle: NodeJS.Timeout | undefined;
  #looks: NodeJS.Timeout | undefined;

  constructor({ clock, random }: { clock: Clock; random: Pick<Random, 'uuid'> }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Returns the number of connected readers. */
  get readers(): number {
    return this.#readings.size;
  }

  /**
   * Returns whether commands and audit rows are added to the history. This is the case while a reader is connected, and
   * one minute longer.
   */
  get collects(): boolean {
    return this.#collects;
  }

  /**
   * Adds an event. The feed sends it shortly afterwards to the readers who may see it. Throws `RangeError` if the event
   * is too large.
   * @returns the id of the event
   */
  publish(kind: EventKind, { type, at, payload, audience }: LabEvent): string {
    const id = this.#random.uuid();
    const frame = frameOf({ id, type, at: new Date(at).toISOString(), payload });
    if (frame.length > LARGEST_FRAME) throw new RangeError(`an event of ${frame.length} bytes`);
    // If many events are published in one turn of the event loop, serve all readers now. Otherwise the history could
    // evict an event before the feed has tried to send it.
    if (this.#unserved.events >= MOST_UNSERVED || this.#unserved.bytes + frame.length > MOST_UNSERVED_BYTES) {
      this.#serveAll();
    }
    this.#history.add(kind, { id, audience, frame });
    this.#unserved.events += 1;
    this.#unserved.bytes += frame.length;
    if (this.#readings.size > 0) this.#serving ??= setImmediate(() => this.#serve());
    return id;
  }

  /**
   * Adds a reader. The reader gets the events after the event with the id `resume`, or only new events if `resume` is
   * absent. If the history no longer contains some of these events, the first frame is `history_lost`.
   * @returns a function that removes the reader
   */
  read(reader: EventReader, resume?: string): () => void {
    this.#collect();
    const reading: Reading = {
      reader,
      place: this.#history.last,
      known: undefined,
      written: () => this.#advance(reading),
      isOver: false,
    };
    this.#readings.add(reading);
    this.#looks ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    if (resume !== undefined) this.#resume(reading, resume);
    return () => this.#forget(reading);
  }

  #resume(reading: Reading, id: string): void {
    const { reader } = reading;
    const place = this.#history.placeOf(id);
    const missing = place === undefined ? EVENT_KINDS : this.#history.missingAfter(place);
    const caller = reader.current();
    const lost = missing.filter(
      (kind) => kind !== 'audit' || (caller !== null && maySeeEvent(caller, { kind: 'admins' })),
    );
    reading.place = place ?? 0;
    reading.known = this.#history.gaps();
    if (lost.length > 0) {
      const at = new Date(this.#clock.now()).toISOString();
      reader.send(frameOf({ type: LOST, at, payload: { lost } }), reading.written);
    }
    this.#advance(reading);
  }

  /**
   * Serves some readers and schedules the others for the next turn of the event loop, so that requests are handled in
   * between.
   */
  #serve(): void {
    this.#serving = undefined;
    if (this.#round.length === 0) {
      this.#round = [...this.#readings];
      this.#unserved = { events: 0, bytes: 0 };
    }
    for (const reading of this.#round.splice(0, READERS_AT_ONCE)) this.#advance(reading);
    if (this.#round.length > 0 || this.#unserved.events > 0)
      this.#serving = setImmediate(() => this.#serve());
  }

  #serveAll(): void {
    clearImmediate(this.#serving);
    this.#serving = undefined;
    this.#round = [];
    this.#unserved = { events: 0, bytes: 0 };
    for (const reading of this.#readings) this.#advance(reading);
  }

  /**
   * Sends the next events to a reader until too many bytes are unsent. Removes the reader if an event that it has not
   * received was evicted from the history.
   */
  #advance(reading: Reading): void {
    if (reading.isOver || reading.place === this.#history.last) return;
    if (this.#history.missingAfter(reading.place, reading.known).length > 0) {
      this.#forget(reading);
      reading.reader.drop();
      return;
    }
    for (let sent = 0; sent < MOST_AT_ONCE && reading.reader.waiting <= MOST_WAITING; ) {
      const next = this.#history.after(reading.place);
      if (next === undefined) return;
      const outcome = deliver(reading, next);
      if (outcome === 'blocked') return;
      if (outcome === 'sent') sent++;
    }
  }

  #look(): void {
    for (const reading of this.#readings) this.#advance(reading);
  }

  #collect(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    if (this.#collects) return;
    this.#collects = true;
    this.#interrupt();
  }

  #interrupt(): void {
    this.#history.interrupt('command');
    this.#history.interrupt('audit');
  }

  #forget(reading: Reading): void {
    reading.isOver = true;
    if (!this.#readings.delete(reading) || this.#readings.size > 0) return;
    this.#looks = void clearInterval(this.#looks);
    this.#idle = setTimeout(() => {
      this.#collects = false;
      this.#interrupt();
    }, COLLECTED_MS).unref();
  }
}

/**
 * Sends one event to a reader, or skips it if the reader may not see it.
 * @returns `blocked` if the reader can receive nothing at the moment or was removed
 */
function deliver(reading: Reading, event: FeedEvent): 'sent' | 'hidden' | 'blocked' {
  const caller = reading.reader.current();
  if (caller === null || reading.isOver) return 'blocked';
  reading.place = event.seq;
  if (!maySeeEvent(caller, event.audience)) return 'hidden';
  reading.reader.send(event.frame, reading.written);
  return 'sent';
}

function frameOf(frame: object): Uint8Array {
  return UTF8.encode(JSON.stringify(frame));
}
