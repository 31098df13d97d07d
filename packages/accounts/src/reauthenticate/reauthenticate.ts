import { actorOf, type Caller, type Reauthorizing, Refusal, reauthorize, senderOf } from '@svc/auth-core';
import { SIGN_IN_ONLY } from '@svc/contract';
import { isUsablePassword } from '@svc/settings';
import type { PasskeyStores, PasskeyTransaction } from '../passkeys/passkey-ports.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';
import type { PasskeyVerifier } from '../passkeys/verify-passkey.ts';
import type { AccountTools } from '../ports/tools.ts';
import { refuseProof } from '../rules/audit-actors.ts';

interface Tools extends Pick<AccountTools, 'clock' | 'audit' | 'hasher'>, Reauthorizing {
  readonly stores: PasskeyStores;
  readonly passkeys: PasskeyVerifier;
}

/**
 * Lets signed-in people prove again that they own the account (contract 10). For 10 minutes after the proof, the
 * sign-in is fresh, which means that it may use the routes that require a recent proof.
 */
export class Reauthenticate {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Throws a refusal if the sign-in was opened with a key or bearer token. Such a sign-in never counts as a recent
   * proof that the person is present.
   */
  checkMayProve({ credential }: Caller): void {
    if (!credential.isPerson)
      throw new Refusal('sign_in_required', 'sign-in opened with a key or bearer token');
  }

  /**
   * Stores that the person has just proved to own the account, if the password is correct. Hashing takes time, so the
   * caller is checked again afterwards.
   */
  async withPassword(caller: Caller, password: string): Promise<void> {
    this.checkMayProve(caller);
    const { stores, hasher, clock } = this.#tools;
    const { id } = caller.account;
    const stored = stores.accounts.passwordHash(id);
    const place = { known: true, sender: senderOf(caller.from) };
    const matches =
      stored !== null && isUsablePassword(password) && (await hasher.matches(password, stored, { place }));
    if (!matches) return this.#refuse(caller, 'wrong password');
    this.#prove(caller, 'password', ({ accounts }) => {
      if (accounts.passwordHash(id) !== stored) this.#refuse(caller, 'password changed meanwhile');
      const until = accounts.byId(id)?.temporaryPasswordUntil ?? null;
      if (until !== null && clock.now() >= until) this.#refuse(caller, 'temporary password lapsed');
    });
  }

  /**
   * Stores that the person has just proved to own the account, if the browser's response proves one of the account's
   * passkeys.
   */
  async withPasskey(caller: Caller, response: object, party: RelyingParty): Promise<void> {
    this.checkMayProve(caller);
    const { passkeys } = this.#tools;
    try {
      const proof = await passkeys.verify(response, party, caller.from, 'authn_reauth_fail');
      if (proof.account.id !== caller.account.id) this.#refuse(caller, 'passkey of another account');
      this.#prove(caller, `passkey ${proof.passkey.id}`, proof.confirm);
    } catch (error) {
      // Replace the error code `invalid credentials`. The dashboard would take it to mean that the sign-in has ended,
      // although the sign-in is still valid.
      if (!(error instanceof Refusal) || error.code !== 'invalid credentials') throw error;
      throw new Refusal('incorrect current password', error.reason);
    }
  }

  /**
   * Stores the current time as the time at which the person last proved to own the account.
   * @param method how the person proved it, for the audit trail
   * @param confirm checks the proof again in the transaction, and throws a refusal if it is no longer valid
   */
  #prove(caller: Caller, method: string, confirm: (tx: PasskeyTransaction) => void): void {
    const { stores, clock, audit } = this.#tools;
    stores.transaction((tx) => {
      const now = reauthorize(caller, SIGN_IN_ONLY, this.#tools);
      confirm(tx);
      const { ownSignIn } = now.credential;
      // While sign-in is turned off, there is no sign-in to update.
      if (ownSignIn === null) return;
      tx.signIns.prove(ownSignIn, clock.now());
      audit.record(tx, 'authn_reauth_success', { ...actorOf(now), target: ownSignIn, reason: method });
    });
  }

  #refuse(caller: Caller, reason: string): never {
    refuseProof(this.#tools.audit, 'authn_reauth_fail', caller, reason);
  }
}
