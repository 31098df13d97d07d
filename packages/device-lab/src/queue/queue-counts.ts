import { LatencyHistogram } from '@svc/module';

/**
 * How a wait ended: the request got a phone (`served`), its waiting time was over (`timeout`), its client disconnected
 * (`left`), the server stopped (`stopped`), or it was refused for another reason, for example because its sender lost
 * the right to make it (`refused`).
 */
export type WaitEnd = 'served' | 'timeout' | 'left' | 'refused' | 'stopped';

/** Upper bounds, in seconds, of the histogram buckets for waiting times. */
const WAIT_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Metrics of the waits that have ended since the server started. */
export class QueueCounts {
  /** Histograms of how long requests waited, by how the wait ended. */
  readonly waits = new Map<WaitEnd, LatencyHistogram>();
  /**
   * Number of requests that could not wait, because the queue was full or too many requests of the same account waited.
   */
  full = 0;

  ended(end: WaitEnd, waitedMs: number): void {
    const waits = this.waits.get(end) ?? new LatencyHistogram(WAIT_SECONDS);
    this.waits.set(end, waits);
    waits.add(waitedMs / 1000);
  }
}
