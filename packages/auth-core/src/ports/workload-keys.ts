import type { TrustRule } from './trust-rules.ts';

/** Verifies signatures of tokens with the keys of their issuers. */
export interface WorkloadKeys {
  /**
   * Verifies the signature of a token with the keys of `issuer` only.
   *
   * @param pasted keys to use, or null to read the keys from the issuer
   * @returns whether the signature is valid. Rejects with `IssuerUnreachable` if the keys cannot be read.
   */
  verify(token: string, issuer: string, pasted: TrustRule['jwks']): Promise<boolean>;
}
