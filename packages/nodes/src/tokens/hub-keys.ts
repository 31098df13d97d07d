import type { KeyObject } from 'node:crypto';
import type { Clock, Log } from '@svc/auth-core';
import { publicKeyOf, Unavailable } from '@svc/auth-core';
import { isRecord } from '@svc/contract';

/** Maximum age (ms) of fetched keys, after which they must not be used (contract 8.3). */
const CACHED_MS = 10 * 60 * 1000;
const REFETCH_EVERY_MS = 30_000;
/** Minimum time (ms) between a failed fetch and the next one. */
const RETRY_EVERY_MS = 1_000;
/**
 * Age (ms) at which `refresh` fetches the keys again. It is half of `CACHED_MS`, so that a short outage of the hub has
 * no effect.
 */
const STALE_MS = 5 * 60 * 1000;
const MOST_KEYS = 16;

interface HubKeysOptions {
  /** Fetches the hub's `GET /svc/api/auth/jwks.json`. Resolves to the parsed response. */
  readonly fetch: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Cache of the public keys that a hub publishes, by which other servers verify the tokens that the hub signed. */
export class HubKeys {
  readonly #options: HubKeysOptions;
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #all: readonly KeyObject[] = [];
  #removals = 0;
  #fetchedAt: number | null = null;
  #failedAt: number | null = null;
  #fetching: Promise<void> | undefined;

  constructor(options: HubKeysOptions) {
    this.#options = options;
  }

  /**
   * Finds a key, and fetches the keys if they are too old or the key is unknown. Rejects with `Unavailable` if the hub
   * cannot be reached (contract 8.3).
   * @returns the key, or undefined if the hub has no such key
   */
  async find(kid: string): Promise<KeyObject | undefined> {
    if (this.#age() >= CACHED_MS) await this.#fetch();
    const known = this.#keys.get(kid);
    if (known !== undefined || this.#age() < REFETCH_EVERY_MS) return known;
    await this.#fetch();
    return this.#keys.get(kid);
  }

  /** @returns whether the hub had this key at the last fetch */
  knows(kid: string): boolean {
    return this.#keys.has(kid);
  }

  /**
   * Returns all keys. Each fetch creates a new list object, by which callers can see that the keys may have changed.
   * Throws `Unavailable` if the keys are too old.
   */
  all(): readonly KeyObject[] {
    if (!this.areFresh) throw new Unavailable("the hub's keys cannot be had");
    return this.#all;
  }

  /** Counter that is raised whenever a fetch shows that the hub removed a key. */
  get removals(): number {
    return this.#removals;
  }

  /** Fetches the keys now. Rejects with `Unavailable` if the hub does not return any key. */
  reload(): Promise<void> {
    return this.#fetch();
  }

  /** Fetches the keys if they will soon be too old. Ignores a failure, because the current keys can still be used. */
  async refresh(): Promise<void> {
    if (this.#age() < STALE_MS) return;
    await this.#fetch().catch(() => undefined);
  }

  /** Whether the keys are fresh enough to be used. */
  get areFresh(): boolean {
    return this.#age() < CACHED_MS;
  }

  #age(): number {
    if (this.#fetchedAt === null) return Number.POSITIVE_INFINITY;
    const age = this.#options.clock.now() - this.#fetchedAt;
    // A negative age means that the clock was set back, so the keys count as too old.
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  }

  /**
   * Fetches the keys. Any client can cause a fetch by sending a token with an unknown key id. To protect the hub, there
   * is at most one fetch at a time, and none within `RETRY_EVERY_MS` after a failed one.
   */
  #fetch(): Promise<void> {
    const { clock } = this.#options;
    const sinceFailure = this.#failedAt === null ? RETRY_EVERY_MS : clock.now() - this.#failedAt;
    if (this.#fetching === undefined && sinceFailure >= 0 && sinceFailure < RETRY_EVERY_MS)
      return Promise.reject(new Unavailable("the hub's keys cannot be had"));
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #load(): Promise<void> {
    const { fetch, clock, log } = this.#options;
    try {
      const keys = await keysIn(await fetch());
      // A hub that cannot read its signing key publishes no keys. This does not mean that keys were removed, so the
      // fetch counts as failed (contract 4).
      if (keys.size === 0) throw new Error('the hub publishes no key');
      if ([...this.#keys.keys()].some((kid) => !keys.has(kid))) this.#removals++;
      this.#keys = keys;
      this.#all = [...keys.values()];
      this.#fetchedAt = clock.now();
      this.#failedAt = null;
    } catch (error) {
      if (this.#failedAt === null) log.error("The hub's keys cannot be had", { cause: String(error) });
      this.#failedAt = clock.now();
      throw new Unavailable("the hub's keys cannot be had", error);
    }
  }
}

async function keysIn(answer: unknown): Promise<Map<string, KeyObject>> {
  const listed = isRecord(answer) && Array.isArray(answer.keys) ? answer.keys.slice(0, MOST_KEYS) : [];
  const keys = new Map<string, KeyObject>();
  for (const jwk of listed) {
    if (!isRecord(jwk)) continue;
    const { kty, crv, x, y, kid } = jwk;
    if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') continue;
    if (typeof kid !== 'string') continue;
    keys.set(kid, await publicKeyOf({ kty, crv, x, y }));
  }
  return keys;
}
