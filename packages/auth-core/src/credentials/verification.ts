import type { Account, Credential } from '../principal.ts';
import type { ScopeSet } from '../scopes.ts';

/** What a scheme establishes on its own; the dispatcher does the rest. */
export interface VerifiedCredential {
  readonly accountId: string;
  readonly credential: Credential;
  readonly granted: ScopeSet | 'role';
  readonly expiresAt: number | null;
  readonly grantsUntil: number | null;
  readonly teamId: string | null;
  /** When its use was noted last (ms); null: never, or of a scheme whose use is not kept. */
  readonly usedAt: number | null;
  /** What it asks of the account as it is now. Absent: nothing. */
  readonly fits?: (account: Account) => boolean;
}

/** Why a credential proved nothing. The reason goes to the audit trail, the sender gets the scheme's public code. */
export class Rejected {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export type Verification = VerifiedCredential | Rejected;
