import type { Clock } from '@svc/auth-core';
import { lruCache } from '@svc/module';
import type { Destinations, Outbound } from '@svc/outbound';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { type KeySet, RemoteKeys } from '../keys/remote-keys.ts';
import type { TrustRule } from '../ports/trust-rules.ts';
import { IssuerUnreachable } from './exchange-token.ts';
import { fetchKeys } from './fetch-keys.ts';
import type { WorkloadKeys } from './workload-keys.ts';
import { WORKLOAD_ALGORITHMS } from './workload-token.ts';

interface IssuerKeysOptions {
  readonly clock: Clock;
  readonly outbound: Outbound;
  /** Checks the addresses of issuers, because Admins choose them. If absent, all addresses are allowed. */
  readonly destinations?: Destinations;
}

/** Maximum number of issuers whose keys are cached. It is larger than the maximum number of trust rules. */
const MOST_ISSUERS = 256;
/** Minimum time (ms) between two requests for an issuer's keys that are sent because a token names an unknown key. */
const UNKNOWN_PAUSE_MS = 60_000;
/**
 * Minimum time (ms) between a failed request for the keys and the next one. A client whose token cannot be checked
 * meanwhile gets a 503 response with the same time in its `Retry-After` header.
 */
const FAILED_PAUSE_MS = 5_000;
/** Maximum age (ms) of keys that are still used while fetching new keys fails. */
const USABLE_MS = 24 * 60 * 60_000;

/**
 * Verifies signatures of workload tokens, either with keys that are stored in a rule or with keys that the issuer
 * publishes.
 */
export class IssuerKeys implements WorkloadKeys {
  readonly #options: IssuerKeysOptions;
  readonly #remote = lruCache<RemoteKeys>(MOST_ISSUERS);
  /**
   * Parsed key sets of the trust rules that contain their issuer's public keys. The map key is the rule's `jwks`
   * object.
   */
  readonly #pasted = new WeakMap<object, KeySet>();

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  async verify(token: string, issuer: string, pasted: TrustRule['jwks']): Promise<boolean> {
    const check = (keys: KeySet) => compactVerify(token, keys, { algorithms: [...WORKLOAD_ALGORITHMS] });
    try {
      await (pasted === null ? this.#remoteKeys(issuer).verify(check) : check(this.#pastedKeys(pasted)));
      return true;
    } catch (error) {
      if (error instanceof IssuerUnreachable) throw error;
      return false;
    }
  }

  #pastedKeys(pasted: NonNullable<TrustRule['jwks']>): KeySet {
    const keys = this.#pasted.get(pasted) ?? createLocalJWKSet(pasted as unknown as JSONWebKeySet);
    this.#pasted.set(pasted, keys);
    return keys;
  }

  #remoteKeys(issuer: string): RemoteKeys {
    const known = this.#remote.get(issuer);
    if (known !== undefined) return known;
    const keys = new RemoteKeys({
      clock: this.#options.clock,
      fetch: () =>
        fetchKeys(issuer, this.#options).catch((cause: unknown) => {
          throw new IssuerUnreachable(`the keys of ${issuer} cannot be read`, { cause });
        }),
      unknownPauseMs: UNKNOWN_PAUSE_MS,
      failed: {
        pauseMs: FAILED_PAUSE_MS,
        error: () => new IssuerUnreachable(`${issuer} did not answer in the last seconds`),
      },
      usableMs: USABLE_MS,
    });
    this.#remote.set(issuer, keys);
    return keys;
  }
}
