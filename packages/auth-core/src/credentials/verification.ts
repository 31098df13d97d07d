import type { Account, Credential } from '../principal.ts';
import type { ScopeSet } from '../scopes.ts';

/** What a scheme verified. The dispatcher checks the rest. */
export interface VerifiedCredential {
  readonly accountId: string;
  readonly credential: Credential;
  readonly granted: ScopeSet | 'role';
  readonly expiresAt: number | null;
  readonly grantsUntil: number | null;
  readonly teamId: string | null;
  /** Time (ms) of the last recorded use, or null if there is none or the scheme records no uses. */
  readonly usedAt: number | null;
  /** Checks the credential against the current account. Absent if there is nothing to check. */
  readonly fits?: (account: Account) => boolean;
}

/** Why a credential was rejected. The audit trail gets the reason, and the client gets the scheme's public code. */
export class Rejected {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export type Verification = VerifiedCredential | Rejected;
