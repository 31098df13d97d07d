import { Refusal } from '@svc/auth-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadPlaces } from '../src/reads/read-places.ts';

const wanted = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Starts a read, and records whether it runs or was refused. */
function started(places: ReadPlaces, account: string, gone: AbortSignal = wanted) {
  const read = { state: 'waits' as 'waits' | 'runs' | 'refused', error: undefined as unknown };
  const place = places.enter(account, gone);
  place.then(
    () => (read.state = 'runs'),
    (error: unknown) => Object.assign(read, { state: 'refused', error }),
  );
  return { read, place };
}
const settled = () => vi.advanceTimersByTimeAsync(0);
const states = (reads: readonly ReturnType<typeof started>[]) => reads.map(({ read }) => read.state).join();

describe('places of large reads', () => {
  it('two reads of an account and four of all accounts run at a time; others wait (contract 2)', async () => {
    const places = new ReadPlaces();
    const reads = ['a', 'a', 'a', 'b', 'b', 'c'].map((account) => started(places, account));
    await settled();
    expect(states(reads)).toBe('runs,runs,waits,runs,runs,waits');
    (await reads[0]?.place)?.leave();
    await settled();
    expect(states(reads)).toBe('runs,runs,waits,runs,runs,runs');
  });

  it('a read that waited for 5 s is refused with 429 and Retry-After (contract 2)', async () => {
    const places = new ReadPlaces();
    const reads = ['a', 'a', 'a'].map((account) => started(places, account));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(states(reads)).toBe('runs,runs,waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(states(reads)).toBe('runs,runs,refused');
    const { error } = reads[2]?.read ?? {};
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ status: 429, code: 'rate limit exceeded', fields: { retryAfter: 5 } });
  });

  it('an account with few reads comes before one with many, whatever their order', async () => {
    const places = new ReadPlaces({ all: 2, ofAccount: 2, waitMs: 5_000, waitingOfAccount: 64 });
    const reads = ['a', 'a', 'a', 'b'].map((account) => started(places, account));
    (await reads[0]?.place)?.leave();
    await settled();
    expect(states(reads)).toBe('runs,runs,waits,runs');
  });

  it('clients that do not take their responses lock nobody else out', async () => {
    const places = new ReadPlaces();
    const reads = ['a', 'a', 'b', 'b', 'c', 'a'].map((account) => started(places, account));
    for (const { place } of reads.slice(0, 4)) (await place).setParked(true);
    await settled();
    expect(states(reads)).toBe('runs,runs,runs,runs,runs,waits');
    for (const { place } of reads.slice(0, 5)) (await place).leave();
    await settled();
    expect(states(reads)).toBe('runs,runs,runs,runs,runs,runs');
  });

  it('a place that is left twice is freed once', async () => {
    const places = new ReadPlaces();
    const reads = ['a', 'a', 'a', 'a'].map((account) => started(places, account));
    const first = await reads[0]?.place;
    first?.leave();
    first?.leave();
    first?.setParked(true);
    await settled();
    expect(states(reads)).toBe('runs,runs,runs,waits');
  });

  it('a client that leaves while it waits gives up its turn', async () => {
    const places = new ReadPlaces();
    const gone = new AbortController();
    const reads = [started(places, 'a'), started(places, 'a'), started(places, 'a', gone.signal)];
    gone.abort(new Error('gone'));
    (await reads[0]?.place)?.leave();
    await settled();
    expect(states(reads)).toBe('runs,runs,refused');
    expect(states([started(places, 'a', gone.signal)])).toBe('waits');
    const next = started(places, 'a');
    await settled();
    expect(states([next])).toBe('runs');
  });

  it('an account has at most 64 waiting reads', async () => {
    const places = new ReadPlaces();
    const reads = Array.from({ length: 67 }, () => started(places, 'a'));
    await settled();
    expect(states(reads.slice(64))).toBe('waits,waits,refused');
  });
});
