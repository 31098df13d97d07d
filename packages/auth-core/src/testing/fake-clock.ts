import type { Clock } from '../ports/index.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(ms: number): void;
}

/** @returns a clock that changes only when the test sets or advances it */
export function fakeClock(startMs = Date.UTC(2025, 0, 1)): FakeClock {
  let now = startMs;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    set: (ms) => {
      now = ms;
    },
  };
}
