import { type Clock, readHeader, verifySigned } from '@svc/auth-core';
import type { Audience } from '@svc/contract';
import type { HubKeys } from './hub-keys.ts';

interface RemoteVerifierOptions {
  readonly keys: Pick<HubKeys, 'find' | 'removals'>;
  /** Value of `SVC_JWT_ISSUER`, which must be the same on both servers. */
  readonly issuer: string;
  readonly clock: Clock;
  /** Returns for how many seconds the other server accepts a token at most. */
  readonly longestLife: () => number;
  /**
   * Fetches the account of a verified token from the other server, which stores the accounts, unless this server
   * already has the account.
   */
  readonly learn: (accountId: string) => Promise<void>;
}

/**
 * Verifies signed tokens of another server by the public keys that the other server publishes. Rejects with
 * `Unavailable` if the keys are not available.
 */
export class RemoteVerifier {
  readonly #options: RemoteVerifierOptions;

  constructor(options: RemoteVerifierOptions) {
    this.#options = options;
  }

  get keyRemovals(): number {
    return this.#options.keys.removals;
  }

  async verify(token: string, audiences: readonly Audience[]): Promise<ReturnType<typeof verifySigned>> {
    const { keys, issuer, clock, longestLife, learn } = this.#options;
    const header = readHeader(token);
    if (header === undefined || typeof header.kid !== 'string') return 'malformed';
    const key = await keys.find(header.kid);
    if (key === undefined) return 'unknown key';
    const now = clock.now();
    const expected = { audiences, issuer, now, toleranceSec: 0, longestLife: longestLife() };
    const claims = verifySigned(token, header.typ, key, expected);
    if (typeof claims !== 'string') await learn(claims.sub);
    return claims;
  }
}
