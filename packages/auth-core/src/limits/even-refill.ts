import type { Bucket } from './rate-buckets.ts';

const MINUTE = 60_000;

/** State of a token bucket (rate limit) after one request. */
interface Taken {
  readonly remaining: number;
  /** Seconds until another request is allowed, or 0 if this request is allowed. */
  readonly retryAfter: number;
}

/**
 * Takes one request from a bucket that refills evenly over a minute (specification 8.1.3). If the capacity changed
 * since the last request, the bucket stays filled to the same fraction.
 *
 * @param at milliseconds since any fixed moment, which must be the same for every call
 */
export function takeFrom(bucket: Bucket, capacity: number, at: number): Taken {
  refill(bucket, capacity, at);
  const isAllowed = bucket.level >= MINUTE;
  if (isAllowed) bucket.level -= MINUTE;
  return {
    remaining: Math.floor(bucket.level / MINUTE),
    retryAfter: isAllowed ? 0 : Math.ceil((MINUTE - bucket.level) / (capacity * 1000)),
  };
}

function refill(bucket: Bucket, capacity: number, at: number): void {
  const full = capacity * MINUTE;
  if (bucket.capacity === 0) bucket.level = full;
  else if (bucket.capacity !== capacity) {
    bucket.level = Math.floor((bucket.level * capacity) / bucket.capacity);
  }
  bucket.level = Math.min(full, bucket.level + Math.max(0, at - bucket.at) * capacity);
  bucket.capacity = capacity;
  bucket.at = at;
}
