import type { Clock } from '@svc/auth-core';
import type { Admission } from '../admission.ts';
import type { DeviceLab } from '../device-lab.ts';
import type { SessionEnd } from '../driver-sessions.ts';

/** How long an end is told to the hub again and again. */
const TOLD_MS = 15 * 60 * 1000;
const MOST_TOLD = 500;

type FromHub = NonNullable<Admission['fromHub']>;

interface Ended extends SessionEnd {
  readonly id: string;
  readonly at: number;
}

/** At a node: the sessions that came through its hub (contract 8.3). They end with the process, so nothing is stored. */
export class HubSessions {
  readonly #clock: Clock;
  readonly #running = new Map<string, FromHub>();
  #ended: Ended[] = [];

  constructor(lab: Pick<DeviceLab, 'onEnd'>, clock: Clock) {
    this.#clock = clock;
    lab.onEnd(({ id, failureCategory, failureReason }) => {
      if (!this.#running.delete(id)) return;
      const end = { id, category: failureCategory, reason: failureReason, at: clock.now() };
      this.#ended = [...this.#ended, end].slice(-MOST_TOLD);
    });
  }

  add(id: string, fromHub: FromHub): void {
    this.#running.set(id, fromHub);
  }

  has(id: string): boolean {
    return this.#running.has(id);
  }

  /** Whether its commands are checked whatever this server is told. */
  isGuarded(id: string): boolean {
    return this.#running.get(id)?.guarded === true;
  }

  running(): { id: string; udid: string }[] {
    return [...this.#running].map(([id, { udid }]) => ({ id, udid }));
  }

  /** Of the last minutes. */
  ended(): (SessionEnd & { readonly id: string })[] {
    const since = this.#clock.now() - TOLD_MS;
    this.#ended = this.#ended.filter(({ at }) => at >= since);
    return this.#ended.map(({ id, category, reason }) => ({ id, category, reason }));
  }
}
