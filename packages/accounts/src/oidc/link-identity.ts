import { type Audit, type Clock, origin, type Random, type RequestOrigin } from '@svc/auth-core';
import type { Identity } from '../ports/identities.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { ProviderPerson } from './provider-person.ts';

/**
 * A person at an OpenID provider, and the account to which the person will be linked when the owner of the account
 * signs in with the password.
 */
export interface PendingLink extends Pick<ProviderPerson, 'issuer' | 'subject'> {
  readonly accountId: string;
}

/**
 * Links a person at an OpenID provider to an account. Has no effect if the person is already linked to this account.
 * The caller opens the transaction, and must have verified both the person and the owner of the account.
 *
 * @param proof how the owner of the account agreed, for the audit trail
 * @returns the identity, or undefined if the person is linked to another account
 */
export function linkIdentity(
  tx: AccountTransaction,
  { clock, random, audit }: { clock: Clock; random: Random; audit: Audit },
  { issuer, subject, accountId }: PendingLink,
  { proof, from }: { proof: string; from: RequestOrigin },
): Identity | undefined {
  const known = tx.identities.bySubject(issuer, subject);
  if (known !== undefined) return known.accountId === accountId ? known : undefined;
  const identity = {
    id: random.uuid(),
    accountId,
    issuer,
    subject,
    createdAt: clock.now(),
    lastSignInAt: null,
  };
  tx.identities.insert(identity);
  audit.record(tx, 'authn_identity_linked', {
    ...origin(from),
    actor: accountId,
    target: identity.id,
    reason: `${issuer}, by ${proof}`,
  });
  return identity;
}
