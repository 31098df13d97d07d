import type { LiveEvent } from '@svc/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EventSocket, EventsConnection } from '../src/live/events-connection.ts';

class ToySocket implements EventSocket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  isClosed = false;
  readonly query: URLSearchParams;
  constructor(query: string) {
    this.query = new URLSearchParams(query);
  }
  close(): void {
    this.isClosed = true;
  }
}

const REFUSED = new Error('401');
const event = (id: string): LiveEvent => ({ id, type: 'account_changed', at: '', payload: { id: 'a' } });

describe('the connection of live events', () => {
  let sockets: ToySocket[];
  let calls: string[];
  let waits: { ms: number; task: () => void }[];
  let failing: Error | null;
  let tickets: number;
  let connection: EventsConnection;
  const settled = () => new Promise((done) => setImmediate(done));
  const last = () => sockets.at(-1) as ToySocket;
  const wait = async () => {
    waits.pop()?.task();
    await settled();
  };

  beforeEach(async () => {
    sockets = [];
    calls = [];
    waits = [];
    failing = null;
    tickets = 0;
    connection = new EventsConnection(
      {
        ticket: async () => {
          if (failing !== null) throw failing;
          tickets += 1;
          return `ticket ${tickets}`;
        },
        open: (query) => {
          sockets.push(new ToySocket(query));
          return last();
        },
        isOver: (error) => error === REFUSED,
        after: (ms, task) => {
          const waiting = { ms, task };
          waits.push(waiting);
          return () => {
            waits = waits.filter((each) => each !== waiting);
          };
        },
        random: () => 1,
      },
      {
        event: ({ id }) => calls.push(`event ${id}`),
        live: (missed) => calls.push(missed ? 'live, missed' : 'live'),
        lost: () => calls.push('lost'),
        over: () => calls.push('over'),
      },
    );
    connection.start();
    await settled();
  });

  it('the connection of live events goes on behind the last event with a ticket of its own (specification 6, contract 2 /events)', async () => {
    last().onopen?.();
    last().onmessage?.({ data: JSON.stringify(event('e1')) });
    last().onclose?.({ code: 1001 });
    expect(calls).toEqual(['live, missed', 'event e1', 'lost', 'lost']);
    await wait();
    expect(Object.fromEntries(last().query)).toEqual({ ticket: 'ticket 2', resume: 'e1' });
    last().onopen?.();
    expect(calls.at(-1)).toBe('live');
  });

  it('a connection of live events that has no event to resume after reports that events may have been missed', async () => {
    last().onopen?.();
    last().onclose?.({ code: 1006 });
    await wait();
    last().onopen?.();
    expect(calls.at(-1)).toBe('live, missed');
  });

  it('the connection of live events waits longer each time, half a minute at most, and not at all once the network is back', async () => {
    failing = new Error('unreachable');
    const paused: (number | undefined)[] = [];
    last().onclose?.({ code: 1006 });
    for (let round = 0; round < 7; round++) {
      paused.push(waits.at(-1)?.ms);
      await wait();
    }
    expect(paused).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    failing = null;
    connection.retryNow();
    connection.retryNow();
    await settled();
    expect([sockets.length, tickets]).toEqual([2, 2]);
    connection.retryNow();
    await settled();
    expect(sockets).toHaveLength(2);
  });

  it('a credential that ended is asked about at once, and then nothing is tried any more (specification 6)', async () => {
    last().onopen?.();
    failing = REFUSED;
    last().onclose?.({ code: 1008 });
    await settled();
    expect(calls.at(-1)).toBe('over');
    expect(waits).toEqual([]);
    connection.retryNow();
    await settled();
    expect(sockets).toHaveLength(1);
  });

  it('a server that lets in and closes again and again is not asked in a circle', async () => {
    for (let round = 0; round < 2; round++) {
      last().onopen?.();
      last().onclose?.({ code: 1008 });
      await settled();
    }
    expect(sockets).toHaveLength(2);
    expect(waits).toHaveLength(1);
  });

  it('a closed connection of live events stays closed', async () => {
    connection.close();
    expect(last().isClosed).toBe(true);
    last().onclose?.({ code: 1000 });
    last().onmessage?.({ data: JSON.stringify(event('late')) });
    await settled();
    expect([calls, waits]).toEqual([[], []]);
  });
});
