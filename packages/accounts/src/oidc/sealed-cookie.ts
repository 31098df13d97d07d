import type { Clock, Random } from '@svc/auth-core';
import { isRecord } from '@svc/contract';
import { SealingKey } from '../sealing/sealing-key.ts';

/**
 * Lifetime of a cookie (ms). There are two kinds of cookies. One holds the state of a sign-in until the provider
 * redirects the browser back. The other holds a provider identity until the user links it to an account (contract
 * 10.1).
 */
const LIFETIME_MS = 10 * 60_000;
const LONGEST = 4096;

/** Decrypted content of a cookie. */
export interface Opened<T> {
  readonly id: string;
  /** Time (ms since 1970) at which the cookie expires. */
  readonly endsAt: number;
  readonly content: T;
}

/**
 * Encrypts state that the browser stores for this server between two requests. The server stores nothing, so an
 * unauthenticated client cannot fill its memory by starting sign-ins. The key exists only in memory, so a restart ends
 * pending sign-ins.
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

  /** @returns the content, or null if this server did not create the cookie or the cookie has expired */
  open(value: string | undefined): Opened<T> | null {
    if (value === undefined || value.length > LONGEST || !/^[\w-]+$/.test(value)) return null;
    const text = this.#key.open(Buffer.from(value, 'base64url').toString('base64'), this.#purpose);
    const opened: unknown = text === null ? null : JSON.parse(text);
    if (!isRecord(opened)) return null;
    const { endsAt } = opened as unknown as Opened<T>;
    const now = this.#clock.now();
    // An expiry later than that of a new cookie means that the clock was set back. Refuse such a cookie, because it
    // would otherwise be valid for longer than `LIFETIME_MS`.
    return now < endsAt && endsAt <= now + LIFETIME_MS ? (opened as unknown as Opened<T>) : null;
  }
}
