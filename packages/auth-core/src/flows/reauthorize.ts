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
 * The caller as they are now, or the refusal they would meet now. For every flow that awaits (hashing, signing)
 * between what it was allowed to do and doing it; called after the last `await`, inside the transaction where there
 * is one. Never more than the caller was when the request began.
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
