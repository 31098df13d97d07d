import type { Access } from '@svc/contract';
import { checkAccess } from '../policy/access.ts';
import type { Stores } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import { effectiveScopes } from '../scopes.ts';

export interface Reauthorizing {
  readonly stores: Pick<Stores, 'accounts'>;
  readonly authenticator: { checkStillGood(caller: Caller): void };
}

/**
 * Checks a caller again, and throws the refusal that the caller would get now. A flow that awaits something (hashing,
 * signing) between the check of the caller and the change must call this function after its last `await`, inside the
 * transaction if there is one.
 *
 * @returns the caller with the current account, and at most the scopes that they had when the request began
 */
export function reauthorize(
  caller: Caller,
  access: Access,
  { stores, authenticator }: Reauthorizing,
): Caller {
  authenticator.checkStillGood(caller);
  const account = stores.accounts.byId(caller.account.id) ?? caller.account;
  const now = { ...caller, account, scopes: effectiveScopes(caller.scopes, account.role) };
  checkAccess(now, access);
  return now;
}
