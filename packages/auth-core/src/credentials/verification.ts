import type { Account, Credential } from '../principal.ts';
import type { ScopeSet } from '../scopes.ts';

/**
 * Result of a scheme that verified a credential. `Authenticator` then checks the account, its status and the expiry.
 */
export interface VerifiedCredential {
  readonly accountId: string;
  readonly credential: Credential;
  readonly granted: ScopeSet | 'role';
  readonly expiresAt: number | null;
  readonly grantsUntil: number | null;
  readonly teamId: string | null;
  /** Time (ms) of the last recorded use, or null if there is none or the scheme records no uses. */
  readonly usedAt: number | null;
  /**
   * Checks the credential against the latest data of its account, because a change such as a new password can end it.
   * Absent if the validity of the credential does not depend on the account.
   * @returns whether the credential is still valid
   */
  readonly fits?: (account: Account) => boolean;
}

/**
 * Result of a scheme that rejected a credential. The audit trail gets the reason, and the client gets only the scheme's
 * public code.
 */
export class Rejected {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export type Verification = VerifiedCredential | Rejected;
