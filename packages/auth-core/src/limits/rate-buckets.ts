import type { Caller } from '../principal.ts';
import type { RateCategory } from './category.ts';

export interface Bucket {
  /** In sixty-thousandths of a request, so that a millisecond refills exactly `capacity`: no rounding error adds up. */
  level: number;
  /** When it was filled up to that, in ms since the start: small numbers stay inside the object. */
  at: number;
  /** 0: not used yet. */
  capacity: number;
}

/** What one key, or one user with all their sign-ins and bearer tokens, may still ask for. */
export type RateBuckets = Readonly<Record<RateCategory, Bucket>>;

export function newRateBuckets(): RateBuckets {
  return { read: unused(), change: unused(), ai: unused() };
}

export function unused(): Bucket {
  return { level: 0, at: 0, capacity: 0 };
}

/** A caller with what the rate limiter needs, so that it has nothing to look up. */
export interface Admitted extends Caller {
  readonly rateBuckets?: RateBuckets;
}
