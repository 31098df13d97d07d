import type { Caller } from '../principal.ts';
import type { RateCategory } from './category.ts';

export interface Bucket {
  /**
   * Fill level in units of 1/60,000 of a request, so that each millisecond adds exactly `capacity` units and rounding
   * errors do not add up.
   */
  level: number;
  /**
   * Time of the last change of `level`, in ms since the rate limiter was created. V8 stores such small numbers inside
   * the object, but allocates separate memory for ms since 1970.
   */
  at: number;
  /** Number of requests in a full bucket, or 0 if the bucket was not used yet. */
  capacity: number;
}

/** Rate-limit buckets of one API key, or of one user with all their sign-ins and bearer tokens. */
export type RateBuckets = Readonly<Record<RateCategory, Bucket>>;

export function newRateBuckets(): RateBuckets {
  return { read: unused(), change: unused(), ai: unused() };
}

export function unused(): Bucket {
  return { level: 0, at: 0, capacity: 0 };
}

/**
 * An authenticated caller whose rate-limit buckets were already looked up. Without `rateBuckets`, the rate limiter
 * looks them up.
 */
export interface Admitted extends Caller {
  readonly rateBuckets?: RateBuckets;
}
