import { LatencyHistogram } from '@svc/auth-core';

/**
 * How the wait of a request ended: with a phone (`served`), at its time (`timeout`), because its client disconnected
 * (`left`), because its sender lost the right to the phone or the account (`refused`), or because the server stops
 * (`stopped`).
 */
export type WaitEnd = 'served' | 'timeout' | 'left' | 'refused' | 'stopped';

/** Bucket bounds for waits, in seconds. */
const WAIT_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counts of the waits that have ended since the server started. */
export class QueueCounts {
  /** Durations of the waits, by how they ended. */
  readonly waits = new Map<WaitEnd, LatencyHistogram>();
  /** Number of requests that wanted to wait and were refused because too many waited, in the lab or of one account. */
  full = 0;

  ended(end: WaitEnd, waitedMs: number): void {
    const waits = this.waits.get(end) ?? new LatencyHistogram(WAIT_SECONDS);
    this.waits.set(end, waits);
    waits.add(waitedMs / 1000);
  }
}
