import type { Clock } from '@svc/auth-core';
import { TooManyCreates } from './responses.ts';

/**
 * Maximum number of bytes that the bodies of all create-session requests may take in memory before their senders are
 * admitted (contract 5).
 */
const CREATE_BUDGET_BYTES = 64 * 1024 * 1024;

/**
 * Time (ms) after which an incomplete body can be evicted when the memory budget is used up. Ordinary clients send
 * their bodies faster.
 */
const EVICT_AFTER_MS = 5_000;

/** The part of the memory budget that one create-session request holds. */
export interface CreateShare {
  /**
   * Sets how many bytes of the budget the create-session request holds.
   *
   * @throws TooManyCreates if the budget has too few bytes left
   */
  hold(bytes: number): void;
  /**
   * Marks the body as being read. If reading takes longer than `EVICT_AFTER_MS` and another create-session request
   * needs the memory, the body is evicted: its bytes return to the budget, and `evicted` is called.
   */
  reading(evicted: (error: TooManyCreates) => void): void;
  /** Protects the body from eviction. Call this when the body has been read completely. */
  read(): void;
  /** Returns all bytes to the budget. Further calls have no effect. */
  release(): void;
}

/**
 * Limits the memory for the bodies of all create-session requests that are not admitted yet. When the budget is spent,
 * new bodies are refused, unless the oldest unfinished body has taken longer than `EVICT_AFTER_MS`. In that case the
 * oldest body is evicted. Clients that never finish their bodies therefore cannot block other create-session requests.
 */
export class CreateBudget {
  readonly #clock: Clock;
  readonly #limit: number;
  #held = 0;
  /** Bodies that are being read, oldest first. */
  readonly #reading = new Map<CreateShare, { readonly since: number; evict(): void }>();

  constructor(clock: Clock, limit: number = CREATE_BUDGET_BYTES) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Number of bytes that create-session requests hold now. */
  get held(): number {
    return this.#held;
  }

  open(): CreateShare {
    let held = 0;
    const share: CreateShare = {
      hold: (bytes) => {
        this.#makeRoom(bytes - held, share);
        this.#held += bytes - held;
        held = bytes;
      },
      reading: (evicted) => {
        const evict = (): void => {
          share.release();
          evicted(tooManyCreates());
        };
        this.#reading.set(share, { since: this.#clock.now(), evict });
      },
      read: () => void this.#reading.delete(share),
      release: () => {
        share.read();
        this.#held -= held;
        held = 0;
      },
    };
    return share;
  }

  #makeRoom(bytes: number, share: CreateShare): void {
    while (bytes > this.#limit - this.#held) {
      const oldest = this.#reading.entries().next().value;
      if (oldest === undefined || oldest[0] === share) throw tooManyCreates();
      if (this.#clock.now() - oldest[1].since < EVICT_AFTER_MS) throw tooManyCreates();
      oldest[1].evict();
    }
  }
}

function tooManyCreates(): TooManyCreates {
  return new TooManyCreates(EVICT_AFTER_MS / 1000);
}
