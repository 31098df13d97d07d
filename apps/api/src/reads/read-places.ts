import { Refusal } from '@svc/auth-core';

/** Limits of large reads: how many run at the same time, and how long and how many others wait. */
export interface ReadBounds {
  /** Reads of all accounts that work at the same time. */
  readonly all: number;
  /** Reads of one account at the same time. */
  readonly ofAccount: number;
  readonly waitMs: number;
  /** Reads of one account that wait. The next one is refused immediately. */
  readonly waitingOfAccount: number;
}

const READ_BOUNDS: ReadBounds = { all: 4, ofAccount: 2, waitMs: 5_000, waitingOfAccount: 64 };

/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 5;

/** Place of a running read. */
export interface ReadPlace {
  /**
   * Tells whether the read waits for its client. Meanwhile it does not count for the limit of all accounts, because
   * otherwise a few clients that do not read their responses would lock out everybody else.
   */
  setParked(isParked: boolean): void;
  /** Frees the place. Further calls have no effect. */
  leave(): void;
}

interface Waiting {
  readonly account: string;
  admit(): void;
}

/**
 * Limits how many large reads run at the same time. Others wait, those of accounts with the fewest running reads first,
 * and are refused with 429 when their time is over.
 */
export class ReadPlaces {
  readonly #bounds: ReadBounds;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #working = 0;

  constructor(bounds: ReadBounds = READ_BOUNDS) {
    this.#bounds = bounds;
  }

  /**
   * Waits for a place.
   * @param gone signal that is aborted when the read is no longer wanted
   */
  async enter(account: string, gone: AbortSignal): Promise<ReadPlace> {
    gone.throwIfAborted();
    if (!this.#hasRoomFor(account)) await this.#wait(account, gone);
    else this.#take(account);
    return this.#placeOf(account);
  }

  #hasRoomFor(account: string): boolean {
    return this.#working < this.#bounds.all && this.#runningOf(account) < this.#bounds.ofAccount;
  }

  #runningOf(account: string): number {
    return this.#running.get(account) ?? 0;
  }

  #take(account: string): void {
    this.#working += 1;
    this.#running.set(account, this.#runningOf(account) + 1);
  }

  #wait(account: string, gone: AbortSignal): Promise<void> {
    const { waitMs, waitingOfAccount } = this.#bounds;
    let waiting = 0;
    for (const each of this.#waiting) if (each.account === account) waiting += 1;
    if (waiting >= waitingOfAccount) throw tooMany();
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        this.#waiting.delete(turn);
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        settle();
      };
      const turn: Waiting = { account, admit: () => end(resolve) };
      const leave = () => end(() => reject(gone.reason));
      const timer = setTimeout(() => end(() => reject(tooMany())), waitMs);
      gone.addEventListener('abort', leave);
      this.#waiting.add(turn);
    });
  }

  #placeOf(account: string): ReadPlace {
    let isParked = false;
    let hasLeft = false;
    const setParked = (now: boolean) => {
      if (hasLeft || now === isParked) return;
      isParked = now;
      this.#working += now ? -1 : 1;
      this.#admit();
    };
    const leave = () => {
      if (hasLeft) return;
      setParked(true);
      hasLeft = true;
      const left = this.#runningOf(account) - 1;
      if (left === 0) this.#running.delete(account);
      else this.#running.set(account, left);
      this.#admit();
    };
    return { setParked, leave };
  }

  /** Admits waiting reads while there is room. */
  #admit(): void {
    for (let next = this.#nextOf(); next !== undefined; next = this.#nextOf()) {
      this.#take(next.account);
      next.admit();
    }
  }

  /** Returns the waiting read whose account has the fewest running reads, and of several the oldest. */
  #nextOf(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const each of this.#waiting) {
      if (!this.#hasRoomFor(each.account)) continue;
      if (best === undefined || this.#runningOf(each.account) < this.#runningOf(best.account)) best = each;
    }
    return best;
  }
}

function tooMany(): Refusal {
  return new Refusal('rate limit exceeded', 'too many large reads at once', {
    message: 'Too many large reads run at once. Try again when one of them is done.',
    retryAfter: RETRY_AFTER,
  });
}
