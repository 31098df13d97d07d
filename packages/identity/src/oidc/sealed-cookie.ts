import { type Clock, isRecord, type Random, SealingKey } from '@svc/auth-core';

/** Lifetime of a transaction and of a pending link (ms) (contract 10.1). */
const LIFETIME_MS = 10 * 60_000;
const LONGEST = 4096;

/** Content of a cookie that was opened. */
export interface Opened<T> {
  readonly id: string;
  /** Time (ms since 1970) at which the cookie ends. */
  readonly endsAt: number;
  readonly content: T;
}

/**
 * Seals what a browser keeps for this server between two requests, so that an unauthenticated client cannot fill the memory of the
 * server by starting sign-ins. The key exists only in memory: a restart ends what is pending.
 */
export class SealedCookie<T extends object> {
  readonly #key: SealingKey;
  readonly #purpose: string;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(purpose: string, { clock, random }: { clock: Clock; random: Random }) {
    this.#key = new SealingKey(random.bytes(32), `cookie ${purpose}`, random);
    this.#purpose = purpose;
    this.#clock = clock;
    this.#random = random;
  }

  seal(content: T): string {
    const endsAt = this.#clock.now() + LIFETIME_MS;
    const text = JSON.stringify({ id: this.#random.uuid(), endsAt, content });
    return Buffer.from(this.#key.seal(text, this.#purpose), 'base64').toString('base64url');
  }

  /** @returns the content, or null if the value is no unexpired cookie of this server */
  open(value: string | undefined): Opened<T> | null {
    if (value === undefined || value.length > LONGEST || !/^[\w-]+$/.test(value)) return null;
    const text = this.#key.open(Buffer.from(value, 'base64url').toString('base64'), this.#purpose);
    const opened: unknown = text === null ? null : JSON.parse(text);
    if (!isRecord(opened)) return null;
    const { endsAt } = opened as unknown as Opened<T>;
    const now = this.#clock.now();
    // A lifetime that is too long means that the clock was set back.
    return now < endsAt && endsAt <= now + LIFETIME_MS ? (opened as unknown as Opened<T>) : null;
  }
}
