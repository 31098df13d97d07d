import type { LiveEvent } from '@svc/contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SvcError } from '../src/error.ts';
import { type FollowedEvents, followEvents } from '../src/live-events.ts';
import { SvcClient } from '../src/rest-client.ts';

class FakeSocket {
  static all: FakeSocket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly url: URL;
  closed = false;

  constructor(url: string) {
    this.url = new URL(url);
    FakeSocket.all.push(this);
  }

  send(event: object): void {
    this.onmessage?.({ data: JSON.stringify(event) });
  }

  close(): void {
    this.closed = true;
    this.onclose?.();
  }
}

let answers: (() => Response | Promise<Response>)[];
let tickets: number;
let events: LiveEvent[];
let ends: SvcError[];
let following: FollowedEvents;

const follow = (resume?: string) => {
  const fetch = async () => answers.shift()?.() ?? Response.json({ ticket: `t${++tickets}`, expiresIn: 60 });
  const client = new SvcClient({ url: 'https://lab.example', credential: { bearer: 'x' }, fetch });
  following = followEvents(client, {
    WebSocket: FakeSocket,
    onEvent: (event) => events.push(event),
    onEnd: (error) => ends.push(error),
    ...(resume === undefined ? {} : { resume }),
  });
};
/** @returns the newest socket as soon as the client has opened `count` sockets */
const socket = async (count: number): Promise<FakeSocket> => {
  await vi.waitFor(() => expect(FakeSocket.all).toHaveLength(count), { timeout: 5_000 });
  return FakeSocket.all.at(-1) as FakeSocket;
};

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  answers = [];
  tickets = 0;
  events = [];
  ends = [];
});
afterEach(() => {
  following.close();
  vi.useRealTimers();
});

it('opens with a ticket and passes on what comes (contract 2, /events)', async () => {
  follow();
  const first = await socket(1);
  expect(String(first.url)).toBe('wss://lab.example/svc/api/events?ticket=t1');
  first.onopen?.();
  first.send({ id: 'a', type: 'device_new', payload: {} });
  expect(events).toEqual([{ id: 'a', type: 'device_new', payload: {} }]);
  expect(following.lastId).toBe('a');
});

it('a lost connection is opened again with a new ticket, behind the last event', async () => {
  follow();
  const first = await socket(1);
  first.onopen?.();
  first.send({ id: 'a', type: 'device_new' });
  first.send({ type: 'history_lost' });
  first.onclose?.();
  const second = await socket(2);
  expect(second.url.search).toBe('?ticket=t2&resume=a');
  second.onopen?.();
  expect(events.map(({ type }) => type)).toEqual(['device_new', 'history_lost']);
});

it('a connection lost before the first event tells that events may be missing', async () => {
  follow();
  const first = await socket(1);
  first.onopen?.();
  first.onclose?.();
  (await socket(2)).onopen?.();
  expect(events).toMatchObject([{ type: 'history_lost', payload: { lost: ['lab', 'audit', 'command'] } }]);
});

it('the connection of live events begins behind an event that is known from before', async () => {
  follow('known');
  expect((await socket(1)).url.searchParams.get('resume')).toBe('known');
});

it('a service that does not answer is asked again, more and more rarely', async () => {
  const down = () => Promise.reject(new TypeError('fetch failed'));
  answers = [down, down, down];
  follow();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(answers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(4_001);
  expect(FakeSocket.all).toHaveLength(1);
});

it('ends with its credential, once (specification 6)', async () => {
  follow();
  const first = await socket(1);
  first.onopen?.();
  answers = [() => Response.json({ error: 'invalid session' }, { status: 401 })];
  first.onclose?.();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(ends.map(({ code }) => code)).toEqual(['invalid session']);
  expect(FakeSocket.all).toHaveLength(1);
});

it('closed, it is not opened again', async () => {
  follow();
  const first = await socket(1);
  following.close();
  expect(first.closed).toBe(true);
  first.send({ id: 'a', type: 'account_changed' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeSocket.all).toHaveLength(1);
  expect([events, ends]).toEqual([[], []]);
});
