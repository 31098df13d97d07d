import type { ErrorCode } from '@svc/contract';
import type { Account, Credential } from '../principal.ts';
import type { ScopeSet } from '../scopes.ts';

/**
 * What one kind of credential establishes on its own. Everything common to all kinds (account look-up, status,
 * expiry, effective scopes) happens once, in `authenticate`; a kind cannot skip it.
 */
export interface VerifiedCredential {
  readonly accountId: string;
  readonly credential: Credential;
  readonly granted: ScopeSet | 'role';
  readonly expiresAt: number | null;
  readonly grantsUntil: number | null;
  readonly teamId: string | null;
  /** When its use was noted last (ms); null: never, or of a kind whose use is not kept. */
  readonly usedAt: number | null;
  /** What only the account can tell, e.g. that the access key is its own. Absent: nothing more to ask. */
  readonly fits?: (account: Account) => boolean;
}

/** Why a credential proved nothing. The reason goes to the audit trail, the sender gets the kind's public word. */
export class Rejected {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export type Verification = VerifiedCredential | Rejected;

/** Public word of a failing credential, by kind (specification 5.1.3). */
export const PUBLIC_CODE = {
  key: 'invalid credentials',
  bearer: 'invalid token',
  'sign-in': 'invalid session',
  'session-token': 'invalid token',
  none: 'unauthenticated',
} as const satisfies Record<Credential['kind'], ErrorCode>;
