import { type HashingPlace, Refusal } from '@svc/auth-core';

interface Limits {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks that may wait, of the known and of strangers each. */
  readonly waiting: number;
  /** Of the strangers' waiting tasks, how many may be of one socket sender. */
  readonly perSender: number;
}

/** Tasks that run, and that wait. */
export interface HashingDepth {
  readonly running: number;
  readonly known: number;
  readonly strangers: number;
}

interface Task {
  readonly place: HashingPlace;
  readonly start: () => void;
}

const OWN: HashingPlace = { known: true, sender: null };

/**
 * Places for hashing. The known go before strangers, and one sender takes only a part of the strangers' places, so
 * that a flood of sign-ins keeps out neither the people who use this server nor a stranger from elsewhere. Beyond
 * the places: a quick 503 instead of a wait without end.
 */
export class HashingQueue {
  readonly #limits: Limits;
  readonly #known: Task[] = [];
  readonly #strangers: Task[] = [];
  readonly #strangersBySender = new Map<string | null, number>();
  #running = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get depth(): HashingDepth {
    return { running: this.#running, known: this.#known.length, strangers: this.#strangers.length };
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
      (place.known ? this.#known : this.#strangers).push({ place, start });
    });
  }

  #hasRoom({ known, sender }: HashingPlace): boolean {
    const { waiting, perSender } = this.#limits;
    if (known) return this.#known.length < waiting;
    return this.#strangers.length < waiting && (this.#strangersBySender.get(sender) ?? 0) < perSender;
  }

  #startNext(): void {
    const next = this.#known.shift() ?? this.#strangers.shift();
    if (next === undefined) return;
    if (!next.place.known) this.#count(next.place.sender, -1);
    this.#running += 1;
    next.start();
  }

  #count(sender: string | null, change: number): void {
    const count = (this.#strangersBySender.get(sender) ?? 0) + change;
    if (count === 0) this.#strangersBySender.delete(sender);
    else this.#strangersBySender.set(sender, count);
  }
}
