import type { HashingPlace } from '@svc/accounts';
import { Refusal } from '@svc/auth-core';

interface Limits {
  /** Maximum number of passwords that are hashed or compared at the same time. */
  readonly running: number;
  /**
   * Maximum number of waiting tasks of known senders, which are signed-in callers, and addresses that have signed in
   * before to the account whose password is checked. The same limit applies separately to unknown senders.
   */
  readonly waiting: number;
  /**
   * Maximum number of waiting tasks of one unknown sender, such as an address that has not signed in to the account
   * before.
   */
  readonly perSender: number;
}

/**
 * Number of running tasks, number of waiting tasks of known senders, and number of waiting tasks of unknown senders.
 */
export interface HashingDepth {
  readonly running: number;
  readonly known: number;
  readonly unknown: number;
}

interface Task {
  readonly place: HashingPlace;
  readonly start: () => void;
}

const OWN: HashingPlace = { known: true, sender: null };

/**
 * Limits the number of passwords that are hashed at the same time, so that a flood of sign-ins does not lock out other
 * users. Tasks of known senders (signed-in callers, and addresses that have signed in to the account before) have
 * priority. Each unknown sender gets only a part of the queue for unknown senders. If the queue is full, the request is
 * refused with 503.
 */
export class HashingQueue {
  readonly #limits: Limits;
  readonly #known: Task[] = [];
  readonly #unknown: Task[] = [];
  readonly #unknownBySender = new Map<string | null, number>();
  #running = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get depth(): HashingDepth {
    return { running: this.#running, known: this.#known.length, unknown: this.#unknown.length };
  }

  async run<T>(work: () => Promise<T>, place: HashingPlace = OWN): Promise<T> {
    await this.#turn(place);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  #turn(place: HashingPlace): Promise<void> {
    if (this.#running < this.#limits.running) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (!this.#hasRoom(place)) {
      throw new Refusal('overloaded', 'hashing queue is full', { retryAfter: 2 });
    }
    return new Promise((start) => {
      if (!place.known) this.#count(place.sender, 1);
      (place.known ? this.#known : this.#unknown).push({ place, start });
    });
  }

  #hasRoom({ known, sender }: HashingPlace): boolean {
    const { waiting, perSender } = this.#limits;
    if (known) return this.#known.length < waiting;
    return this.#unknown.length < waiting && (this.#unknownBySender.get(sender) ?? 0) < perSender;
  }

  #startNext(): void {
    const next = this.#known.shift() ?? this.#unknown.shift();
    if (next === undefined) return;
    if (!next.place.known) this.#count(next.place.sender, -1);
    this.#running += 1;
    next.start();
  }

  #count(sender: string | null, change: number): void {
    const count = (this.#unknownBySender.get(sender) ?? 0) + change;
    if (count === 0) this.#unknownBySender.delete(sender);
    else this.#unknownBySender.set(sender, count);
  }
}
