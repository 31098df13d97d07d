import { actorOf, type Caller, type Reauthorizing, Refusal, reauthorize } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { PasskeyStores } from '../passkeys/passkey-ports.ts';
import { type AllowedSignIns, checkOtherWayIn } from '../passkeys/ways-in.ts';
import type { Identity } from '../ports/identities.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';
import { otherAccount } from '../rules/change-user.ts';
import { endSignIn } from './provider-logout.ts';

interface Tools extends Pick<AccountTools, 'clock' | 'audit' | 'cascade'>, Reauthorizing {
  readonly stores: PasskeyStores;
  readonly allowed: AllowedSignIns;
}

/**
 * Lets users unlink their own identities at OpenID providers, and lets Admins unlink those of other users (contract
 * 10.1).
 */
export class OwnIdentities {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  list(caller: Caller): Identity[] {
    return this.#tools.stores.identities.listOf(caller.account.id);
  }

  /**
   * Unlinks one of the caller's identities. Throws a refusal if the caller could no longer sign in without it. Ends the
   * sign-ins that were opened with the identity, except the sign-in of the request.
   *
   * @param rpId RP ID of this server. Only passkeys with this RP ID count as a way to sign in
   */
  remove(caller: Caller, id: string, rpId: string): void {
    this.#tools.stores.transaction((tx) => {
      const identity = this.checkOwn(caller, id);
      checkOtherWayIn(this.#tools, caller.account, id, rpId);
      this.#remove(tx, caller, identity);
    });
  }

  /**
   * Unlinks an identity of another user. That user may then be unable to sign in until an Admin creates a reset link.
   */
  removeOf(caller: Caller, userId: string, id: string): void {
    this.#tools.stores.transaction((tx) => {
      const now = reauthorize(caller, ADMIN, this.#tools);
      this.checkReach(now, userId);
      this.#remove(tx, now, this.#find(userId, id));
    });
  }

  /** Returns the caller's own identity. Throws the same refusal for an unknown id and for another account's identity. */
  checkOwn(caller: Caller, id: string): Identity {
    return this.#find(caller.account.id, id);
  }

  /**
   * Throws a refusal if there is no such user, if the user is the caller, or if the caller is not allowed to change the
   * user's account.
   */
  checkReach(caller: Caller, userId: string): void {
    otherAccount(this.#tools.stores, caller, userId);
  }

  #find(accountId: string, id: string): Identity {
    const found = this.#tools.stores.identities.listOf(accountId).find((identity) => identity.id === id);
    if (found === undefined) throw new Refusal('not_found');
    return found;
  }

  #remove(tx: AccountTransaction, caller: Caller, { id, accountId, issuer, subject }: Identity): void {
    const { audit, cascade } = this.#tools;
    const isOwn = accountId === caller.account.id;
    tx.identities.remove(id);
    for (const { signInId } of tx.identities.signInsOf({ issuer, sid: null, subject })) {
      // The caller's own sign-in continues, so keep its link to the provider. A logout at the provider then still ends
      // the sign-in.
      if (isOwn && signInId === caller.credential.sourceSignIn) continue;
      endSignIn(tx, cascade, { signInId, accountId });
    }
    const reason = isOwn ? issuer : `${issuer} of ${accountId}`;
    audit.record(tx, 'authn_identity_unlinked', { ...actorOf(caller), target: id, reason });
  }
}
