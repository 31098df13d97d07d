import type { Clock } from '@svc/auth-core';
import { lruCache } from '@svc/module';
import type { Destinations, Outbound } from '@svc/outbound';
import type { TrustRule } from '../ports/trust-rules.ts';
import { fetchKeys } from './fetch-keys.ts';
import { KeySet } from './key-set.ts';
import { RemoteKeys } from './remote-keys.ts';
import type { WorkloadKeys } from './workload-keys.ts';

interface IssuerKeysOptions {
  readonly clock: Clock;
  readonly outbound: Outbound;
  /** Checks the addresses of issuers, because Admins choose them. If absent, all addresses are allowed. */
  readonly destinations?: Destinations;
}

/** Maximum number of issuers whose keys are cached. It is larger than the maximum number of trust rules. */
const MOST_ISSUERS = 256;

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
    if (pasted === null) return this.#remoteKeys(issuer).verify(token);
    const keys = this.#pasted.get(pasted) ?? new KeySet(pasted.keys);
    this.#pasted.set(pasted, keys);
    return (await keys.check(token)) === 'valid';
  }

  #remoteKeys(issuer: string): RemoteKeys {
    const known = this.#remote.get(issuer);
    if (known !== undefined) return known;
    const { clock } = this.#options;
    const keys = new RemoteKeys({ clock, issuer, fetch: () => fetchKeys(issuer, this.#options) });
    this.#remote.set(issuer, keys);
    return keys;
  }
}
