import { type Caller, scopeSet } from '@svc/auth-core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventFeed, type EventReader } from '../src/events/event-feed.ts';
import { EventHistory, type EventKind, HISTORY_BOUNDS } from '../src/events/event-history.ts';
import type { LabEvent } from '../src/events/lab-events.ts';
import type { EventAudience } from '../src/visibility/see-event.ts';

const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 30) };
const ANA: EventAudience = { kind: 'session', ownerId: 'ana' };
const BOB: EventAudience = { kind: 'session', ownerId: 'bob' };

interface Frame {
  readonly id?: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const callerOf = (id: string, role: 'Member' | 'Super admin' = 'Member') =>
  ({
    account: { id, role, teams: [] },
    scopes: scopeSet(['read']),
    credential: { kind: 'key' },
    teamId: null,
  }) as unknown as Caller;

/** A reader whose network accepts frames only while `takes` is true. */
class FakeReader implements EventReader {
  readonly frames: Frame[] = [];
  caller: Caller | null;
  takes = true;
  waiting = 0;
  dropped = false;
  #unwritten: { bytes: number; written: () => void }[] = [];

  constructor(caller: Caller | null = callerOf('ana')) {
    this.caller = caller;
  }

  current(): Caller | null {
    return this.caller;
  }

  send(frame: Uint8Array, written: () => void): void {
    this.frames.push(JSON.parse(new TextDecoder().decode(frame)));
    this.waiting += frame.length;
    this.#unwritten.push({ bytes: frame.length, written });
    if (this.takes) this.#drain();
  }

  /** Lets the network accept the waiting frames, and the frames that the feed sends because of that. */
  resume(): void {
    this.takes = true;
    this.#drain();
  }

  drop(): void {
    this.dropped = true;
  }

  get types(): string[] {
    return this.frames.map(({ type }) => type);
  }

  #drain(): void {
    for (let next = this.#unwritten.shift(); next !== undefined; next = this.#unwritten.shift()) {
      this.waiting -= next.bytes;
      next.written();
    }
  }
}

let feed: EventFeed;
let ids: number;
const publish = (type: string, kind: EventKind = 'lab', audience = ANA, payload = {}) => {
  const id = feed.publish(kind, { type, at: 1_700_000_000_000, payload, audience } as LabEvent);
  vi.advanceTimersByTime(0);
  return id;
};

beforeEach(() => {
  vi.useFakeTimers();
  ids = 0;
  feed = new EventFeed({ clock: { now: () => 5 }, random: { uuid: () => `id-${++ids}` } });
});
afterEach(() => void vi.useRealTimers());

describe('live events (specification 6)', () => {
  it('live events go to those who may see them, as frames with id, type, time and payload (contract 2, /events)', () => {
    const ana = new FakeReader();
    const bob = new FakeReader(callerOf('bob'));
    const admin = new FakeReader(callerOf('root', 'Super admin'));
    for (const reader of [ana, bob, admin]) feed.read(reader);
    const id = publish('session_started', 'lab', ANA, { id: 's1' });
    publish('session_started', 'lab', BOB, { id: 's2' });
    expect(ana.frames).toEqual([
      { id, type: 'session_started', at: '2023-11-14T22:13:20.000Z', payload: { id: 's1' } },
    ]);
    expect(bob.frames.map(({ payload }) => payload.id)).toEqual(['s2']);
    expect(admin.frames.map(({ payload }) => payload.id)).toEqual(['s1', 's2']);
  });

  it('a change of the caller counts from the next event on', () => {
    const reader = new FakeReader(callerOf('eve', 'Super admin'));
    feed.read(reader);
    publish('one');
    reader.caller = callerOf('eve');
    publish('two');
    reader.caller = callerOf('ana');
    publish('three');
    expect(reader.types).toEqual(['one', 'three']);
  });

  it('no event is sent or lost while a caller cannot be checked (specification 6)', () => {
    const reader = new FakeReader();
    feed.read(reader);
    reader.caller = null;
    publish('one');
    publish('two');
    expect(reader.types).toEqual([]);
    reader.caller = callerOf('ana');
    vi.advanceTimersByTime(1_000);
    expect(reader.types).toEqual(['one', 'two']);
  });

  it('a reader that left gets nothing more', () => {
    const reader = new FakeReader();
    const leave = feed.read(reader);
    leave();
    leave();
    publish('one');
    expect(reader.types).toEqual([]);
  });

  it('live events come in one turn of the event loop in any number, and are lost to nobody who reads (specification 6)', () => {
    const readers = Array.from({ length: 50 }, () => new FakeReader());
    for (const reader of readers) feed.read(reader);
    const event = { at: 1, payload: { text: 'x'.repeat(2_000) }, audience: ANA };
    for (let count = 0; count < 3_000; count++)
      feed.publish('command', { ...event, type: `e${count}` } as never);
    vi.runAllTicks();
    while (readers.some(({ frames }) => frames.length < 3_000)) vi.advanceTimersToNextTimer();
    for (const { types, dropped } of readers) {
      expect([types[0], types.at(-1), types.length, dropped]).toEqual(['e0', 'e2999', 3_000, false]);
    }
  });

  it('one that is too large is refused, and the others go on', () => {
    const reader = new FakeReader();
    feed.read(reader);
    expect(() => publish('large', 'lab', ANA, { text: 'x'.repeat(40_000) })).toThrow(RangeError);
    publish('small');
    expect(reader.types).toEqual(['small']);
  });
});

describe('resume (specification 6)', () => {
  it('a reader of events continues behind its last event, whatever happened since (specification 6)', () => {
    const id = publish('one');
    publish('two');
    publish('hidden', 'lab', BOB);
    publish('three');
    const reader = new FakeReader();
    feed.read(reader, id);
    publish('four');
    // The notice names commands, because no commands were collected while there was no reader.
    expect(reader.types).toEqual(['history_lost', 'two', 'three', 'four']);
    expect(reader.frames[0]?.payload).toEqual({ lost: ['command'] });
  });

  it('a reader of events that comes back soon misses nothing, commands included (specification 6)', () => {
    const before = new FakeReader();
    const leave = feed.read(before);
    const id = publish('session_started');
    leave();
    vi.advanceTimersByTime(30_000);
    publish('session_command', 'command');
    publish('session_ended');
    const reader = new FakeReader();
    feed.read(reader, id);
    expect(reader.types).toEqual(['session_command', 'session_ended']);
  });

  it('a reader of events is told what is lost: everything for an id of an earlier start, the trail to its readers only (specification 6)', () => {
    const member = new FakeReader();
    feed.read(member, 'id of another start');
    expect(member.frames).toEqual([
      { type: 'history_lost', at: '1970-01-01T00:00:00.005Z', payload: { lost: ['lab', 'command'] } },
    ]);
  });

  it('a minute after the last reader has left commands and audit rows are not collected any more', () => {
    expect(feed.collects).toBe(false);
    const leave = feed.read(new FakeReader());
    expect(feed.collects).toBe(true);
    leave();
    vi.advanceTimersByTime(59_000);
    expect(feed.collects).toBe(true);
    const again = feed.read(new FakeReader());
    vi.advanceTimersByTime(120_000);
    expect(feed.collects).toBe(true);
    again();
    vi.advanceTimersByTime(61_000);
    expect(feed.collects).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('slow readers', () => {
  const large = { text: 'x'.repeat(1_000) };

  it('slow readers wait in the history, not in memory of their own, and get everything once they read', () => {
    const reader = new FakeReader();
    feed.read(reader);
    reader.takes = false;
    for (let count = 0; count < 400; count++) publish(`e${count}`, 'lab', ANA, large);
    expect(reader.waiting).toBeLessThan(70_000);
    reader.resume();
    expect(reader.types).toEqual(Array.from({ length: 400 }, (_, count) => `e${count}`));
  });

  it('slow readers are dropped once what they should get is not kept any more, and only they', () => {
    const slow = new FakeReader();
    const quick = new FakeReader();
    feed.read(slow);
    feed.read(quick);
    slow.takes = false;
    for (let count = 0; count < 3 * HISTORY_BOUNDS.events; count++) publish('event', 'lab', ANA, large);
    expect(slow.dropped).toBe(true);
    expect(slow.waiting).toBeLessThan(70_000);
    expect(quick.dropped).toBe(false);
    expect(quick.frames).toHaveLength(3 * HISTORY_BOUNDS.events);
    const sent = slow.frames.length;
    slow.resume();
    expect(slow.frames).toHaveLength(sent);
  });

  it('a flood of commands does not cost those who come back the other events', () => {
    const id = publish('device_new');
    publish('device_offline');
    const leave = feed.read(new FakeReader());
    for (let count = 0; count < 5_000; count++) publish('session_command', 'command');
    leave();
    const reader = new FakeReader();
    feed.read(reader, id);
    expect(reader.types.slice(0, 2)).toEqual(['history_lost', 'device_offline']);
    expect(reader.frames[0]?.payload).toEqual({ lost: ['command'] });
    expect(reader.types.slice(2)).toEqual(Array(HISTORY_BOUNDS.events).fill('session_command'));
  });
});

/** Random steps of the property test of a feed with one reader. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      mine: fc.boolean(),
      kind: fc.constantFrom('lab' as const, 'audit' as const, 'command' as const),
      size: fc.integer({ min: 0, max: 20_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('block' as const, 'unblock' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('reconnect' as const, 'unknown' as const, 'known' as const) }),
  },
);

describe('for any order of events, pauses and reconnections', () => {
  it('a reader gets each event it may see once and in order, or is told that some are lost (property)', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        feed = new EventFeed({ clock: { now: () => 5 }, random: { uuid: () => `id-${++ids}` } });
        let expected: string[] = [];
        let reader = new FakeReader();
        let leave = feed.read(reader);
        const check = () => {
          const got = reader.frames.flatMap(({ id }) => (id === undefined ? [] : [id]));
          expect(got).toEqual(expected.slice(0, got.length));
          if (!reader.dropped && reader.takes && reader.caller !== null) expect(got).toEqual(expected);
        };
        for (const each of steps) {
          switch (each.do) {
            case 'publish': {
              const id = publish('event', each.kind, each.mine ? ANA : BOB, { text: 'x'.repeat(each.size) });
              if (each.mine) expected.push(id);
              break;
            }
            case 'block':
              reader.takes = false;
              break;
            case 'unblock':
              reader.resume();
              break;
            case 'unknown':
              reader.caller = null;
              break;
            case 'known':
              reader.caller = callerOf('ana');
              vi.advanceTimersByTime(1_000);
              break;
            case 'reconnect': {
              const last = reader.frames.findLast(({ id }) => id !== undefined)?.id;
              leave();
              reader = new FakeReader();
              leave = feed.read(reader, last);
              const [first] = reader.frames;
              const isLost = first?.type === 'history_lost';
              const rest = expected.slice(last === undefined ? expected.length : expected.indexOf(last) + 1);
              const got = reader.frames.flatMap(({ id }) => (id === undefined ? [] : [id]));
              // After a notice of lost events, the reader gets the events that are still in the history, in order.
              expected = isLost ? rest.filter((id) => got.includes(id)) : rest;
              break;
            }
          }
          check();
        }
        leave();
      }),
      RUNS,
    );
  });
});

it('the history keeps the newest of each kind within its bounds, and knows what is missing (property)', () => {
  const kinds: readonly EventKind[] = ['lab', 'audit', 'command'];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...kinds), fc.integer({ min: 1, max: 30_000 }), fc.nat(40)), {
        maxLength: 60,
      }),
      (batches) => {
        const history = new EventHistory();
        const all: { kind: EventKind; seq: number; bytes: number }[] = [];
        for (const [kind, bytes, times] of batches) {
          for (let time = 0; time < times; time++) {
            const frame = new Uint8Array(bytes);
            const { seq } = history.add(kind, { id: `${all.length}`, audience: ANA, frame });
            all.push({ kind, seq, bytes });
          }
        }
        const kept: number[] = [];
        for (let next = history.after(0); next !== undefined; next = history.after(next.seq))
          kept.push(next.seq);
        const wanted = kinds.flatMap((kind) => {
          let bytes = 0;
          return all
            .filter((each) => each.kind === kind)
            .reverse()
            .slice(0, HISTORY_BOUNDS.events)
            .filter((each) => {
              bytes += each.bytes;
              return bytes <= HISTORY_BOUNDS.bytes;
            })
            .map(({ seq }) => seq);
        });
        expect(kept).toEqual(wanted.sort((a, b) => a - b));
        all.forEach(({ seq }, index) => {
          expect(history.placeOf(`${index}`)).toBe(kept.includes(seq) ? seq : undefined);
          const missing = kinds.filter((kind) =>
            all.some((each) => each.kind === kind && each.seq > seq && !kept.includes(each.seq)),
          );
          expect(history.missingAfter(seq)).toEqual(missing);
        });
      },
    ),
    RUNS,
  );
});
