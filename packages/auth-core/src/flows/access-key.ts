import { type Audit, actorOf } from '../audit.ts';
import { Refusal } from '../errors.ts';
import type { Random, Stores } from '../ports.ts';
import type { Caller } from '../principal.ts';
import { holds } from '../scopes.ts';
import { newAccessKey } from '../secrets/opaque.ts';

/**
 * Replaces the caller's access key; the old one stops at once, tokens work with the new one only (specification 2,
 * Access key). Needs a dashboard sign-in or `admin`: a leaked CI key must not lock its owner out.
 */
export function rotateAccessKey(
  caller: Caller,
  tools: { stores: Stores; random: Random; audit: Audit },
): string {
  const { credential } = caller;
  if (!credential.isPerson && !holds(caller.scopes, 'admin'))
    throw new Refusal('rotation_needs_sign_in_or_admin');
  const accessKey = newAccessKey(tools.random);
  tools.stores.transaction((tx) => {
    // The old pair stops at once, and with it what it opened.
    for (const { id, apiTokenId } of tx.signIns.listOf(caller.account.id)) {
      if (apiTokenId !== null && id !== credential.ownSignIn) tx.signIns.end(id);
    }
    tx.accounts.update(caller.account.id, { accessKey });
    tools.audit.record(tx, 'authn_access_key_rotated', { ...actorOf(caller), target: caller.account.id });
  });
  return accessKey;
}
