import {
  type Account,
  accountThen,
  type Caller,
  NO_CREDENTIAL,
  scopeList,
  scopeSet,
  scopesWithRole,
  secretHash,
} from '@svc/auth-core';
import type { Scope } from '@svc/contract';

/** What is stored of a caller to whom something was given that outlives the request. Contains no secret. */
export interface StoredCaller {
  readonly credential: Caller['credential'];
  readonly scopes: readonly Scope[];
  readonly teamId: string | null;
  /** Time (ms since 1970) at which the credential expires, or null for never. */
  readonly expiresAt: number | null;
  readonly signInEpoch: number;
  /** SHA-256 (hex) of the account's access key, so that a replaced access key ends what was given. */
  readonly accessKeyHash: string;
}

export function storedCaller(caller: Caller): StoredCaller {
  const { credential, scopes, teamId, expiresAt, account } = caller;
  return {
    credential,
    scopes: scopeList(scopes),
    teamId,
    expiresAt,
    signInEpoch: account.signInEpoch,
    accessKeyHash: secretHash(account.accessKey),
  };
}

/**
 * Returns the caller that was stored, or null if it was stored while sign-in was off and sign-in is on now. The account
 * of the result has the sign-in epoch and the access key of the time when the caller was stored, so that `stillGood` and
 * `OpenConnections` notice a change of them. Does not check that the credential is still valid.
 */
export function restoredCaller(
  account: Account,
  stored: StoredCaller,
  { authDisabled }: { readonly authDisabled: boolean },
): Caller | null {
  const { credential, scopes, teamId, expiresAt } = stored;
  const isOpen = credential.kind === NO_CREDENTIAL.kind;
  if (isOpen && !authDisabled) return null;
  return {
    account: accountThen(account, stored),
    credential: isOpen ? NO_CREDENTIAL : credential,
    scopes: scopesWithRole({ credential, scopes: scopeSet(scopes) }, account.role),
    expiresAt,
    grantsUntil: expiresAt,
    teamId,
    extended: false,
    from: { address: null, peer: null, requestId: null },
  };
}
