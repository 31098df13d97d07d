import type { EventAudience } from '@svc/auth-core';

/**
 * What an event is about. Each kind has a history of its own, so that many commands, or many refused clients in the
 * audit trail, evict no events of another kind.
 */
export type EventKind = 'lab' | 'audit' | 'command';

/** An event as it is kept and sent. Its frame is the same for all readers. */
export interface FeedEvent {
  /** Place among all events since this start. */
  readonly seq: number;
  readonly id: string;
  readonly audience: EventAudience;
  /** Text of the WebSocket frame, in UTF-8. */
  readonly frame: Uint8Array;
}

/** Limits of each kind. */
export const HISTORY_BOUNDS = { events: 1_000, bytes: 512 * 1024 } as const;

export const EVENT_KINDS: readonly EventKind[] = ['lab', 'audit', 'command'];

/** Place of the newest missing event of each kind, or 0 if none is missing. */
export type Gaps = Readonly<Record<EventKind, number>>;

const NO_GAPS: Gaps = { lab: 0, audit: 0, command: 0 };

/**
 * The newest events of each kind in the order of publication, for readers that fell behind or reconnect. It knows which
 * events were evicted, so that no event is skipped silently.
 */
export class EventHistory {
  readonly #lanes: Readonly<Record<EventKind, Lane>> = {
    lab: new Lane(),
    audit: new Lane(),
    command: new Lane(),
  };
  readonly #seqs = new Map<string, number>();
  #last = 0;

  /** The place of the newest event. */
  get last(): number {
    return this.#last;
  }

  add(kind: EventKind, event: Omit<FeedEvent, 'seq'>): FeedEvent {
    const kept = { ...event, seq: ++this.#last };
    this.#seqs.set(kept.id, kept.seq);
    for (const gone of this.#lanes[kind].add(kept)) this.#seqs.delete(gone.id);
    return kept;
  }

  /** @returns the place of an event, or undefined if it is no longer kept */
  placeOf(id: string): number | undefined {
    return this.#seqs.get(id);
  }

  /** @returns the first event of any kind after a place */
  after(place: number): FeedEvent | undefined {
    let first: FeedEvent | undefined;
    for (const kind of EVENT_KINDS) {
      const next = this.#lanes[kind].after(place);
      if (next !== undefined && (first === undefined || next.seq < first.seq)) first = next;
    }
    return first;
  }

  /** @returns the gaps of each kind so far */
  gaps(): Gaps {
    const { lab, audit, command } = this.#lanes;
    return { lab: lab.missingTo, audit: audit.missingTo, command: command.missingTo };
  }

  /** @returns the kinds with missing events after a place, apart from the gaps in `known` */
  missingAfter(place: number, known: Gaps = NO_GAPS): EventKind[] {
    return EVENT_KINDS.filter((kind) => this.#lanes[kind].missingTo > Math.max(place, known[kind]));
  }

  /** Drops all events of a kind and records a gap, because events of this kind were not collected for a time. */
  interrupt(kind: EventKind): void {
    const lane = this.#lanes[kind];
    for (const gone of lane.clear()) this.#seqs.delete(gone.id);
    lane.missingTo = ++this.#last;
  }
}

/** Events of one kind, the oldest first. */
class Lane {
  /** Place of the newest missing event. */
  missingTo = 0;
  #events: FeedEvent[] = [];
  /** Index of the oldest event. Removing from the front of an array would move all others. */
  #from = 0;
  #bytes = 0;

  /** @returns the events that were evicted for it */
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
