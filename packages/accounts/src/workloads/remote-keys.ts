import type { Clock } from '@svc/auth-core';
import { IssuerUnreachable } from './exchange-token.ts';
import { KeySet } from './key-set.ts';

/** Minimum time (ms) between two requests for an issuer's keys that are sent because a token names an unknown key. */
const UNKNOWN_PAUSE_MS = 60_000;
/**
 * Minimum time (ms) between a failed request for the keys and the next one. A client whose token cannot be checked
 * meanwhile gets a 503 response with the same time in its `Retry-After` header.
 */
const FAILED_PAUSE_MS = 5_000;
/** Age (ms) at which keys are fetched again. */
const FRESH_MS = 10 * 60_000;
/** Maximum age (ms) of keys that are still used while fetching new keys fails. */
const USABLE_MS = 24 * 60 * 60_000;

interface RemoteKeysOptions {
  readonly clock: Clock;
  readonly issuer: string;
  /** Fetches the keys from the issuer. Rejects if that fails. */
  readonly fetch: () => Promise<readonly object[]>;
}

/**
 * Cached keys of an issuer that publishes its keys. To protect the issuer from a flood of requests, the keys are
 * fetched again at most once a minute for tokens that name an unknown key, and at most every 5 seconds after a failure.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions;
  #keys: KeySet | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Time (ms since 1970) of the last request for the keys that was sent because a token named an unknown key. */
  #missedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
  }

  /**
   * Verifies the signature of a token. Rejects with `IssuerUnreachable` if the keys are not cached and cannot be
   * fetched.
   */
  async verify(token: string): Promise<boolean> {
    const isNew = await this.#refreshIfOld();
    const first = await this.#current().check(token);
    if (first !== 'unknown') return first === 'valid';
    if (!(await this.#refreshForUnknown(isNew))) return false;
    return (await this.#current().check(token)) === 'valid';
  }

  #current(): KeySet {
    if (this.#keys === undefined) throw new IssuerUnreachable(`no keys of ${this.#options.issuer}`);
    return this.#keys;
  }

  /** Fetches the keys if no keys are cached or the cached keys are too old. @returns whether this call fetched keys */
  async #refreshIfOld(): Promise<boolean> {
    const { clock } = this.#options;
    const age = clock.now() - this.#readAt;
    if (this.#keys !== undefined && age >= 0 && age < FRESH_MS) return false;
    try {
      await this.#read();
      return true;
    } catch (error) {
      if (age >= USABLE_MS) this.#keys = undefined;
      if (this.#keys === undefined) throw error;
      return false;
    }
  }

  /**
   * Fetches the keys again because a token names an unknown key. Does so at most once a minute.
   * @param isNew whether the keys were already fetched during this check of the token, and need not be fetched again
   * @returns whether new keys were fetched, with which the token must be checked again
   */
  async #refreshForUnknown(isNew: boolean): Promise<boolean> {
    const now = this.#options.clock.now();
    if (this.#reading === undefined && isRecent(this.#missedAt, now, UNKNOWN_PAUSE_MS)) return false;
    if (this.#reading === undefined) this.#missedAt = now;
    if (isNew) return false;
    await this.#read();
    return true;
  }

  /**
   * Fetches the keys. Concurrent calls share one request. Rejects without a request if the last one failed less than
   * `FAILED_PAUSE_MS` ago.
   */
  #read(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading;
    const { clock, fetch, issuer } = this.#options;
    if (isRecent(this.#failedAt, clock.now(), FAILED_PAUSE_MS))
      return Promise.reject(new IssuerUnreachable(`${issuer} did not answer in the last seconds`));
    this.#reading = fetch()
      .then(
        (keys) => {
          this.#keys = new KeySet(keys);
          this.#readAt = clock.now();
        },
        (error: unknown) => {
          this.#failedAt = clock.now();
          throw new IssuerUnreachable(`the keys of ${issuer} cannot be read`, { cause: error });
        },
      )
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}

/** Returns whether `since` is less than `pause` ms ago. False if `since` is in the future (the clock was set back). */
function isRecent(since: number, now: number, pause: number): boolean {
  return now >= since && now < since + pause;
}
