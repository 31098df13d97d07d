import type { EventAudience } from '../visibility/see-event.ts';

/**
 * Kind of an event. The history keeps the newest events of each kind separately. Otherwise many commands, or many audit
 * rows about refused clients, would evict events of other kinds.
 */
export type EventKind = 'lab' | 'audit' | 'command';

/** An event of the history. Its frame is the same for all readers, so it is encoded only once. */
export interface FeedEvent {
  /** Sequence number of the event. The numbers are counted over all kinds, from the start of the server. */
  readonly seq: number;
  readonly id: string;
  readonly audience: EventAudience;
  /** Text of the WebSocket frame, encoded in UTF-8. */
  readonly frame: Uint8Array;
}

/** For each kind, the maximum number of events in the history, and their maximum total size in bytes. */
export const HISTORY_BOUNDS = { events: 1_000, bytes: 512 * 1024 } as const;

export const EVENT_KINDS: readonly EventKind[] = ['lab', 'audit', 'command'];

/**
 * For each kind, the sequence number of the newest event that was evicted or not collected, or 0 if none is missing.
 */
export type Gaps = Readonly<Record<EventKind, number>>;

const NO_GAPS: Gaps = { lab: 0, audit: 0, command: 0 };

/**
 * The newest events of each kind in the order of publication, for readers that are slow or that reconnect. The history
 * also records up to which event others were evicted, so that a reader that missed events is notified.
 */
export class EventHistory {
  readonly #lanes: Readonly<Record<EventKind, Lane>> = {
    lab: new Lane(),
    audit: new Lane(),
    command: new Lane(),
  };
  readonly #seqs = new Map<string, number>();
  #last = 0;

  /** Returns the sequence number of the newest event. */
  get last(): number {
    return this.#last;
  }

  add(kind: EventKind, event: Omit<FeedEvent, 'seq'>): FeedEvent {
    const kept = { ...event, seq: ++this.#last };
    this.#seqs.set(kept.id, kept.seq);
    for (const gone of this.#lanes[kind].add(kept)) this.#seqs.delete(gone.id);
    return kept;
  }

  /**
   * @returns the sequence number of the event with this id, or undefined if the event is unknown or has been evicted
   */
  placeOf(id: string): number | undefined {
    return this.#seqs.get(id);
  }

  /** @returns the first event of any kind after this sequence number, or undefined if there is none */
  after(place: number): FeedEvent | undefined {
    let first: FeedEvent | undefined;
    for (const kind of EVENT_KINDS) {
      const next = this.#lanes[kind].after(place);
      if (next !== undefined && (first === undefined || next.seq < first.seq)) first = next;
    }
    return first;
  }

  /** @returns for each kind, the sequence number of the newest missing event */
  gaps(): Gaps {
    const { lab, audit, command } = this.#lanes;
    return { lab: lab.missingTo, audit: audit.missingTo, command: command.missingTo };
  }

  /**
   * @returns the kinds of which an event after the sequence number `place` is missing. Events up to the numbers in
   * `known` do not count, because the reader already knows that they are missing.
   */
  missingAfter(place: number, known: Gaps = NO_GAPS): EventKind[] {
    return EVENT_KINDS.filter((kind) => this.#lanes[kind].missingTo > Math.max(place, known[kind]));
  }

  /**
   * Removes all events of a kind and records that events of this kind are missing. Called whenever the collection of
   * this kind starts or stops, because events in between are not in the history.
   */
  interrupt(kind: EventKind): void {
    const lane = this.#lanes[kind];
    for (const gone of lane.clear()) this.#seqs.delete(gone.id);
    lane.missingTo = ++this.#last;
  }
}

/** The events of one kind, oldest first. */
class Lane {
  /** Sequence number of the newest missing event, or 0 if none is missing. */
  missingTo = 0;
  #events: FeedEvent[] = [];
  /**
   * Index of the oldest valid event in the array. The evicted events before this index are cut off only from time to
   * time, because each cut copies the array.
   */
  #from = 0;
  #bytes = 0;

  /**
   * Adds an event.
   * @returns the events that were evicted to make room
   */
  add(event: FeedEvent): FeedEvent[] {
    this.#events.push(event);
    this.#bytes += event.frame.length;
    const gone: FeedEvent[] = [];
    while (this.#count > HISTORY_BOUNDS.events || this.#bytes > HISTORY_BOUNDS.bytes) {
      const oldest = this.#events[this.#from++] as FeedEvent;
      this.#bytes -= oldest.frame.length;
      this.missingTo = oldest.seq;
      gone.push(oldest);
    }
    if (this.#from > HISTORY_BOUNDS.events) {
      this.#events = this.#events.slice(this.#from);
      this.#from = 0;
    }
    return gone;
  }

  after(place: number): FeedEvent | undefined {
    let low = this.#from;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as FeedEvent).seq <= place) low = middle + 1;
      else high = middle;
    }
    return this.#events[low];
  }

  clear(): FeedEvent[] {
    const gone = this.#events.slice(this.#from);
    this.#events = [];
    this.#from = 0;
    this.#bytes = 0;
    return gone;
  }

  get #count(): number {
    return this.#events.length - this.#from;
  }
}
