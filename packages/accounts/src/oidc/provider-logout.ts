import { type Cascade, origin, type RequestOrigin, secretHash } from '@svc/auth-core';
import type { ProviderSignInQuery, ProviderSignInRecord } from '../ports/identities.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';
import type { ProviderLogout } from './provider-person.ts';

type Tools = Pick<AccountTools, 'stores' | 'audit' | 'cascade'>;

/**
 * Ends the sign-ins of a person who has signed out at the OpenID provider (contract 10.1): those that a verified logout
 * token selects, and the tokens minted from them. If the token names both a session and a person, only sign-ins that
 * match both end.
 *
 * @returns the number of selected sign-ins, or null if the token was used before
 */
export function endSignInsOf(
  { issuer, sid, subject, id, endsAt }: ProviderLogout,
  from: RequestOrigin,
  { stores, audit, cascade }: Tools,
): number | null {
  const query = queryOf(issuer, sid, subject);
  return stores.transaction((tx) => {
    if (!tx.replay.spend(`oidc-logout ${secretHash(`${issuer} ${id}`)}`, endsAt)) return null;
    const ended = query === null ? [] : tx.identities.signInsOf(query);
    for (const { signInId, accountId } of ended) {
      endSignIn(tx, cascade, { signInId, accountId });
      const reason = 'signed out at the provider';
      audit.record(tx, 'authn_logout', { ...origin(from), actor: accountId, target: signInId, reason });
    }
    return ended.length;
  });
}

/** Ends a sign-in through the provider, and the tokens minted from it. */
export function endSignIn(
  tx: AccountTransaction,
  cascade: Pick<Cascade, 'signInEnded'>,
  { signInId, accountId }: Pick<ProviderSignInRecord, 'signInId' | 'accountId'>,
): void {
  tx.signIns.end(signInId);
  cascade.signInEnded(tx, signInId, accountId);
  tx.identities.detachSignIn(signInId);
}

function queryOf(issuer: string, sid: string | null, subject: string | null): ProviderSignInQuery | null {
  if (sid !== null) return { issuer, sid, subject };
  return subject === null ? null : { issuer, sid, subject };
}
