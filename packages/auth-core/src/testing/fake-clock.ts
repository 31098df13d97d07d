import type { Clock } from '../ports/index.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(ms: number): void;
}

/** A clock that stands still until it is told otherwise. */
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
