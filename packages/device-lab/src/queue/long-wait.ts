import type { LabEvents } from '../events/lab-events.ts';
import type { WaitingRequest } from './waiting-request.ts';

/** Time (ms) after which the wait of a request is reported as long. */
const LONG_WAIT_MS = 5 * 60_000;

/**
 * Publishes `queue_long` when a request has waited for more than five minutes. No further event is published as long as
 * there is a request that has waited that long.
 */
export class LongWait {
  readonly #events: LabEvents;
  #isLong = false;

  constructor(events: LabEvents) {
    this.#events = events;
  }

  /** Checks the waiting requests. Call this regularly while requests wait. */
  check(requests: readonly WaitingRequest[], now: number): void {
    let oldest = requests[0];
    for (const each of requests) if (oldest !== undefined && each.since < oldest.since) oldest = each;
    const waitedMs = oldest === undefined ? 0 : now - oldest.since;
    const isLong = waitedMs > LONG_WAIT_MS;
    if (isLong && !this.#isLong && oldest !== undefined) this.#publish(oldest, requests.length, waitedMs);
    this.#isLong = isLong;
  }

  #publish({ request, since }: WaitingRequest, waiting: number, waitedMs: number): void {
    const account = request.caller?.account;
    const { udid, platform, tags } = request.wants;
    this.#events.publish({
      type: 'queue_long',
      payload: {
        waiting,
        kind: request.kind,
        since: new Date(since).toISOString(),
        waitedSeconds: Math.floor(waitedMs / 1000),
        owner: account === undefined ? null : { id: account.id, email: account.email },
        wants: { udid, platform, tags },
      },
      audience: { kind: 'admins' },
    });
  }
}
