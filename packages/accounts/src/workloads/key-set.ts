import { compactVerify, createLocalJWKSet, errors, type JWK } from 'jose';
import { WORKLOAD_ALGORITHMS } from './workload-token.ts';

/** Result of a signature check. `unknown` means that the set contains no key for the token. */
export type SignatureCheck = 'valid' | 'invalid' | 'unknown';

/** The public keys of one issuer. */
export class KeySet {
  readonly #find: ReturnType<typeof createLocalJWKSet>;

  constructor(keys: readonly object[]) {
    this.#find = createLocalJWKSet({ keys: keys as JWK[] });
  }

  /** Checks the signature of a token. Returns `invalid` if several keys match the token's header. Never rejects. */
  async check(token: string): Promise<SignatureCheck> {
    try {
      await compactVerify(token, this.#find, { algorithms: [...WORKLOAD_ALGORITHMS] });
      return 'valid';
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown' : 'invalid';
    }
  }
}
