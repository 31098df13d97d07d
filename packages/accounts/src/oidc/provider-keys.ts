import type { Clock } from '@svc/auth-core';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

/** Time (ms) after which the keys are fetched again. */
const FRESH_MS = 10 * 60_000;
/**
 * Minimum time (ms) between two fetches because of a token that is signed with an unknown key. A failed fetch counts,
 * too. Any client can send such tokens, so each would otherwise cause a request to the provider.
 */
const PAUSE_MS = 30_000;

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Public keys of the provider, with which logout tokens are verified. They are fetched when they are first needed. */
export class ProviderKeys {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<unknown>;
  #known: { readonly set: KeySet; readonly at: number } | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<KeySet> | undefined;

  constructor(clock: Clock, fetch: () => Promise<unknown>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /**
   * @returns the stored keys, or newly fetched ones if these are older than `FRESH_MS`. Rejects if no keys are stored
   * and they cannot be fetched.
   */
  async current(): Promise<KeySet> {
    const known = this.#known;
    if (known !== undefined && this.#clock.now() < known.at + FRESH_MS) return known.set;
    try {
      return await this.#refresh();
    } catch (error) {
      // Fetching failed, so use the old keys. Otherwise the logout token could not be verified, and the person would
      // stay signed in.
      if (known !== undefined) return known.set;
      throw error;
    }
  }

  /**
   * Fetches the keys because a token is signed with an unknown key.
   * @returns the new keys, or undefined if the last such fetch was less than `PAUSE_MS` ago
   */
  async newer(): Promise<KeySet | undefined> {
    const now = this.#clock.now();
    const isEarly = now >= this.#triedAt && now < this.#triedAt + PAUSE_MS;
    if (isEarly) return undefined;
    this.#triedAt = now;
    return await this.#refresh();
  }

  #refresh(): Promise<KeySet> {
    this.#fetching ??= this.#fetchKeys().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchKeys(): Promise<KeySet> {
    const set = createLocalJWKSet((await this.#fetch()) as JSONWebKeySet);
    this.#known = { set, at: this.#clock.now() };
    return set;
  }
}
