import type { TrustRule } from '../ports/trust-rules.ts';

/** Verifies the signatures of tokens that CI jobs got from their issuers. */
export interface WorkloadKeys {
  /**
   * Verifies the signature of a token. Only keys of `issuer` are accepted.
   *
   * @param pasted keys of the issuer that the trust rule stores, or null to fetch them from the issuer
   * @returns whether the signature is valid. Rejects with `IssuerUnreachable` if the keys cannot be fetched.
   */
  verify(token: string, issuer: string, pasted: TrustRule['jwks']): Promise<boolean>;
}
