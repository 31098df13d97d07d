/** Upper bounds of a histogram's buckets in seconds, ascending. */
export type LatencyBounds = readonly number[];

/**
 * Bucket bounds for the duration of HTTP requests. Some wait seconds for the database, for password hashing or for a
 * driver.
 */
export const REQUEST_SECONDS: LatencyBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Bucket bounds for credential checks, which take microseconds if the result is cached. */
export const CHECK_SECONDS: LatencyBounds = [
  0.000_001, 0.000_002_5, 0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.005, 0.025,
  0.1, 0.5, 2.5,
];

/**
 * Histogram of durations. It uses plain numbers, so adding a duration costs only a few comparisons. The exported
 * metrics are computed from it.
 */
export class LatencyHistogram {
  readonly bounds: LatencyBounds;
  /**
   * Number of durations in each bucket, not cumulative. The array has one more element than `bounds`, because its last
   * element counts durations above all bounds.
   */
  readonly counts: Float64Array;
  /** Sum of all durations in seconds. */
  sum = 0;

  constructor(bounds: LatencyBounds) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(seconds: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += seconds;
  }
}
