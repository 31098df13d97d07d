import { type Account, type Clock, Refusal } from '@svc/auth-core';
import type { PasskeyStores } from './passkey-ports.ts';

/** Ways to sign in that the operator allows (contract 10.1). */
export interface AllowedSignIns {
  /** Whether only Super admins may sign in with a password (`SVC_PASSWORD_SIGN_IN=break-glass`). */
  readonly superAdminsOnly: boolean;
  /** Issuer of the configured OpenID provider, or null if sign-in through a provider is off. */
  readonly issuer: string | null;
}

interface Tools {
  readonly stores: PasskeyStores;
  readonly clock: Clock;
  readonly allowed: AllowedSignIns;
}

/**
 * Throws a refusal if the passkey or identity that is about to be removed is the account's only way to sign in. Reset
 * links do not count, because the owner gets one only if an Admin or a working mail server sends it.
 *
 * @param removed id of this passkey or identity
 * @param rpId RP ID of this server. Only passkeys with this RP ID count as a way to sign in
 */
export function checkOtherWayIn(tools: Tools, account: Account, removed: string, rpId: string): void {
  const ways = waysIn(tools, account, rpId);
  if (ways.length === 1 && ways[0] === removed)
    throw new Refusal('last_way_in', 'set a password, add a passkey or link an identity first');
}

/**
 * @returns everything with which the account can sign in now: the ids of passkeys for this RP ID, the ids of identities
 * at the configured provider, and `password` if a password is set, allowed and not expired
 */
function waysIn({ stores, clock, allowed }: Tools, account: Account, rpId: string): string[] {
  const { id, role, temporaryPasswordUntil: until } = account;
  const isPasswordUsable =
    stores.accounts.passwordHash(id) !== null &&
    (until === null || clock.now() < until) &&
    (!allowed.superAdminsOnly || role === 'Super admin');
  const passkeys = stores.passkeys.listOf(id).filter((passkey) => passkey.rpId === rpId);
  const identities = stores.identities.listOf(id).filter(({ issuer }) => issuer === allowed.issuer);
  return [...(isPasswordUsable ? ['password'] : []), ...[...passkeys, ...identities].map((way) => way.id)];
}
