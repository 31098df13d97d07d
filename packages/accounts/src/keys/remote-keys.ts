import type { Clock } from '@svc/auth-core';
import { createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';

/** Function that finds the key for a token by its header, as jose calls it. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Age (ms) at which keys are fetched again. */
const FRESH_MS = 10 * 60_000;

interface RemoteKeysOptions {
  readonly clock: Clock;
  /** Fetches the keys from their issuer. Rejects if that fails. */
  readonly fetch: () => Promise<JSONWebKeySet>;
  /**
   * Minimum time (ms) between two fetches because of a token that is signed with an unknown key. A failed fetch counts,
   * too. Any client can send such tokens, so each would otherwise cause a request to the issuer.
   */
  readonly unknownPauseMs: number;
  /** Minimum time (ms) between a failed fetch and the next one, and the error meanwhile. If absent, there is none. */
  readonly failed?: { readonly pauseMs: number; readonly error: () => Error };
  /** Maximum age (ms) of keys that are still used while fetching new keys fails. Default: no limit. */
  readonly usableMs?: number;
}

/** Cached keys of an issuer that publishes its keys. They are fetched when they are first needed. */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions;
  #keys: KeySet | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Time (ms since 1970) of the last fetch because of a token with an unknown key. */
  #missedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<KeySet> | undefined;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
  }

  /**
   * Verifies a token with the keys. If the token is signed with an unknown key, may fetch the keys again.
   * @param check verifies the token with a function of jose; called again with newly fetched keys
   * @returns the result of `check`. Rejects with its error, or with the error of `fetch` if no keys are cached
   */
  async verify<T>(check: (keys: KeySet) => Promise<T>): Promise<T> {
    const { keys, isNew } = await this.#current();
    try {
      return await check(keys);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.#newer(isNew);
      if (newer === undefined) throw error;
      return await check(newer);
    }
  }

  /** @returns the cached keys, or newly fetched ones if none are cached or they are too old */
  async #current(): Promise<{ keys: KeySet; isNew: boolean }> {
    const { clock, usableMs = Number.POSITIVE_INFINITY } = this.#options;
    const age = clock.now() - this.#readAt;
    if (this.#keys !== undefined && age >= 0 && age < FRESH_MS) return { keys: this.#keys, isNew: false };
    try {
      return { keys: await this.#read(), isNew: true };
    } catch (error) {
      if (age >= usableMs) this.#keys = undefined;
      if (this.#keys === undefined) throw error;
      // Otherwise a token could not be verified because its issuer fails.
      return { keys: this.#keys, isNew: false };
    }
  }

  /**
   * Fetches the keys again because a token names an unknown key.
   * @param isNew whether the keys were already fetched during this check of the token, and need not be fetched again
   * @returns new keys, with which the token must be checked again, or undefined if none were fetched
   */
  async #newer(isNew: boolean): Promise<KeySet | undefined> {
    const { clock, unknownPauseMs } = this.#options;
    const now = clock.now();
    if (this.#reading === undefined) {
      if (isRecent(this.#missedAt, now, unknownPauseMs)) return undefined;
      this.#missedAt = now;
    }
    return isNew ? undefined : await this.#read();
  }

  /** Fetches the keys. Concurrent calls share one request. Rejects without a request soon after a failure. */
  #read(): Promise<KeySet> {
    if (this.#reading !== undefined) return this.#reading;
    const { clock, failed } = this.#options;
    if (failed !== undefined && isRecent(this.#failedAt, clock.now(), failed.pauseMs))
      return Promise.reject(failed.error());
    this.#reading = this.#fetch().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #fetch(): Promise<KeySet> {
    const { clock, fetch } = this.#options;
    try {
      this.#keys = createLocalJWKSet(await fetch());
    } catch (error) {
      this.#failedAt = clock.now();
      throw error;
    }
    this.#readAt = clock.now();
    return this.#keys;
  }
}

/** Returns whether `since` is less than `pause` ms ago. False if `since` is in the future (the clock was set back). */
function isRecent(since: number, now: number, pause: number): boolean {
  return now >= since && now < since + pause;
}
