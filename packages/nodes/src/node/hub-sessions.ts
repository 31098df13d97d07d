import type { Clock } from '@svc/auth-core';
import type { Admission, DeviceLab, SessionEnd } from '@svc/device-lab';

/**
 * Time (ms) for which each report to the hub repeats the end of a session. The hub therefore learns of the end even if
 * some reports are lost.
 */
const REPORTED_MS = 15 * 60 * 1000;
const MOST_ENDED = 500;

type FromHub = NonNullable<Admission['fromHub']>;

interface Ended extends SessionEnd {
  readonly id: string;
  readonly at: number;
}

/**
 * Sessions that run on this node because its hub created them (contract 8.3). They are kept only in memory, because
 * they end when this process ends.
 */
export class HubSessions {
  readonly #clock: Clock;
  readonly #running = new Map<string, FromHub>();
  #ended: Ended[] = [];

  constructor(lab: Pick<DeviceLab, 'onEnd'>, clock: Clock) {
    this.#clock = clock;
    lab.onEnd(({ id, failureCategory, failureReason }) => {
      if (!this.#running.delete(id)) return;
      const end = { id, category: failureCategory, reason: failureReason, at: clock.now() };
      this.#ended = [...this.#ended, end].slice(-MOST_ENDED);
    });
  }

  add(id: string, fromHub: FromHub): void {
    this.#running.set(id, fromHub);
  }

  has(id: string): boolean {
    return this.#running.has(id);
  }

  /**
   * Returns whether this server must check the credentials of the session's commands. This is so if the hub has
   * requested the check when it created the session, even if the settings of this server turn such checks off.
   */
  isGuarded(id: string): boolean {
    return this.#running.get(id)?.guarded === true;
  }

  running(): { id: string; udid: string }[] {
    return [...this.#running].map(([id, { udid }]) => ({ id, udid }));
  }

  /** @returns the sessions that ended in the last 15 minutes */
  ended(): (SessionEnd & { readonly id: string })[] {
    const since = this.#clock.now() - REPORTED_MS;
    this.#ended = this.#ended.filter(({ at }) => at >= since);
    return this.#ended.map(({ id, category, reason }) => ({ id, category, reason }));
  }
}
