import { actorOf, type Caller, holds, newAccessKey, Refusal } from '@svc/auth-core';
import type { AccountStores } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';

interface Tools extends Pick<AccountTools, 'random' | 'audit'> {
  readonly stores: Pick<AccountStores, 'transaction'>;
}

/**
 * Replaces the caller's own access key (specification 2, Access key). The old key stops working immediately, and the
 * account's tokens then work only together with the new key. Requires a dashboard sign-in or the scope `admin`, so that
 * a leaked CI key cannot lock its owner out.
 */
export function rotateAccessKey(caller: Caller, { stores, random, audit }: Tools): string {
  const { credential } = caller;
  if (!credential.isPerson && !holds(caller.scopes, 'admin'))
    throw new Refusal('rotation_needs_sign_in_or_admin');
  const accessKey = newAccessKey(random);
  stores.transaction((tx) => {
    // A key pair with the old access key stops working, so end the sign-ins that were opened with one, except the
    // sign-in of this request.
    for (const { id, apiTokenId } of tx.signIns.listOf(caller.account.id)) {
      if (apiTokenId !== null && id !== credential.ownSignIn) tx.signIns.end(id);
    }
    tx.accounts.update(caller.account.id, { accessKey });
    audit.record(tx, 'authn_access_key_rotated', { ...actorOf(caller), target: caller.account.id });
  });
  return accessKey;
}
