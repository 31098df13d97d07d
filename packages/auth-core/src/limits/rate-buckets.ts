import type { Caller } from '../principal.ts';
import type { RateCategory } from './category.ts';

export interface Bucket {
  /**
   * In sixty-thousandths of a request, so that a millisecond refills exactly `capacity` and rounding errors do not add
   * up.
   */
  level: number;
  /** Time of that level, in ms since the start, because V8 stores small numbers inside the object. */
  at: number;
  /** 0 if the bucket was not used yet. */
  capacity: number;
}

/** The buckets of one key, or of one user with all their sign-ins and bearer tokens. */
export type RateBuckets = Readonly<Record<RateCategory, Bucket>>;

export function newRateBuckets(): RateBuckets {
  return { read: unused(), change: unused(), ai: unused() };
}

export function unused(): Bucket {
  return { level: 0, at: 0, capacity: 0 };
}

/** A caller with their buckets, so that the rate limiter needs no look-up. */
export interface Admitted extends Caller {
  readonly rateBuckets?: RateBuckets;
}
