import type { Clock } from '@svc/auth-core';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

/** Time (ms) after which the keys are fetched again. */
const FRESH_MS = 10 * 60_000;
/**
 * Minimum time (ms) between two fetches that are caused by an unknown key. Failed fetches count, too, because anyone
 * can send tokens with unknown keys.
 */
const PAUSE_MS = 30_000;

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Public keys with which the provider signs logout tokens. They are fetched at first use. */
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

  /** @returns the current keys. Rejects if no keys are stored and the provider cannot send them. */
  async current(): Promise<KeySet> {
    const known = this.#known;
    if (known !== undefined && this.#clock.now() < known.at + FRESH_MS) return known.set;
    try {
      return await this.#refresh();
    } catch (error) {
      // Use stale keys if fetching fails. Otherwise the logout token could not be verified, and the logout would be lost.
      if (known !== undefined) return known.set;
      throw error;
    }
  }

  /** @returns newly fetched keys for a token whose key is unknown, or undefined if the last fetch was too recent */
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
