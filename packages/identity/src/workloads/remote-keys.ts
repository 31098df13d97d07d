import { type Clock, IssuerUnreachable } from '@svc/auth-core';
import { KeySet } from './key-set.ts';

/** Minimum time (ms) between two requests for a key that is not known, and between two requests that failed. */
const COOLDOWN_MS = 60_000;
/** Age (ms) from which keys are read again. */
const FRESH_MS = 10 * 60_000;
/** Age (ms) up to which keys are used while they cannot be read again. */
const USABLE_MS = 24 * 60 * 60_000;

interface RemoteKeysOptions {
  readonly clock: Clock;
  readonly issuer: string;
  /** Reads the keys from the issuer, or rejects. */
  readonly fetch: () => Promise<readonly object[]>;
}

/**
 * The keys of an issuer that publishes them. Tokens with unknown keys cause at most one request a minute, and so do
 * requests that fail, so that a client cannot make this server flood the issuer.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions;
  #keys: KeySet | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Time of the last request that an unknown key caused. */
  #missedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
  }

  /** Verifies a signature. Rejects with `IssuerUnreachable` if the keys are needed but cannot be read. */
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

  /** @returns whether the keys were read just now */
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
   * Reads the keys again because a token names a key that is not known.
   * @param isNew whether the keys were read for this token already, which counts as the request of this minute
   * @returns whether the token has to be checked again
   */
  async #refreshForUnknown(isNew: boolean): Promise<boolean> {
    const now = this.#options.clock.now();
    if (this.#reading === undefined && isCooling(this.#missedAt, now)) return false;
    if (this.#reading === undefined) this.#missedAt = now;
    if (isNew) return false;
    await this.#read();
    return true;
  }

  /** Reads the keys, unless a request failed less than a minute ago. Concurrent calls share one request. */
  #read(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading;
    const { clock, fetch, issuer } = this.#options;
    if (isCooling(this.#failedAt, clock.now()))
      return Promise.reject(new IssuerUnreachable(`${issuer} did not answer less than a minute ago`));
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

/** A time in the future means that the clock was set back, so nothing is cooling down. */
function isCooling(since: number, now: number): boolean {
  return now >= since && now < since + COOLDOWN_MS;
}
