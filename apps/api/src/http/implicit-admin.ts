import { ALL_SCOPES, type Caller, NO_CREDENTIAL, type RequestOrigin, Unavailable } from '@svc/auth-core';
import type { AccountServices } from '../services/services.ts';

/**
 * Returns the caller of every request while sign-in is off: the oldest Super admin, without a credential (specification
 * 5.12).
 */
export function implicitAdmin(services: Pick<AccountServices, 'stores'>, from: RequestOrigin): Caller {
  const account = services.stores.accounts.oldestActive('Super admin');
  if (account === undefined) throw new Unavailable('no active Super admin');
  return {
    account,
    credential: NO_CREDENTIAL,
    scopes: ALL_SCOPES,
    expiresAt: null,
    grantsUntil: null,
    teamId: null,
    extended: false,
    from,
  };
}
