import { actorOf, type Caller, type Reauthorizing, reauthorize, senderOf } from '@svc/auth-core';
import { FROM_SIGN_IN } from '@svc/contract';
import { isUsablePassword } from '@svc/settings';
import type { AccountTools } from '../ports/tools.ts';
import { refuseProof } from '../rules/audit-actors.ts';
import { checkNewPassword, checkNotCommon } from './password-rules.ts';
import { ownPassword, signOutOthers } from './set-password.ts';

export interface PasswordChange {
  readonly oldPassword: string;
  readonly newPassword: string;
}

type Tools = Pick<AccountTools, 'stores' | 'audit' | 'hasher' | 'isCommonPassword'> & Reauthorizing;

/** Changes a person's own password. */
export class ChangePassword {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Changes the password for `POST /auth/change-password`. Ends the user's other sign-ins and cancels their reset links
   * (specification 5.9.6). Hashing takes time, so the credential is checked again inside the transaction.
   */
  async change(caller: Caller, input: PasswordChange): Promise<void> {
    const { stores, hasher, audit, isCommonPassword } = this.#tools;
    checkNewPassword(input.newPassword);
    const { id } = caller.account;
    const before = stores.accounts.passwordHash(id);
    const place = { known: true, sender: senderOf(caller.from) };
    const matches =
      before !== null &&
      isUsablePassword(input.oldPassword) &&
      (await hasher.matches(input.oldPassword, before, { place }));
    if (!matches) this.#refuse(caller, 'wrong password');
    checkNotCommon(input.newPassword, isCommonPassword);
    const passwordHash = await hasher.hash(input.newPassword, place);
    stores.transaction((tx) => {
      const now = reauthorize(caller, FROM_SIGN_IN, this.#tools);
      if (tx.accounts.passwordHash(id) !== before) this.#refuse(caller, 'changed meanwhile');
      const { temporaryPasswordUntil, ...change } = ownPassword(input.newPassword, passwordHash);
      // If the new password is the old one, the password has not been replaced, so a temporary password stays
      // temporary.
      const isNew = input.newPassword !== input.oldPassword;
      tx.accounts.update(id, isNew ? { ...change, temporaryPasswordUntil: null } : change);
      signOutOthers(tx, now);
      audit.record(tx, 'authn_password_change', { ...actorOf(caller), target: id });
    });
  }

  #refuse(caller: Caller, reason: string): never {
    refuseProof(this.#tools.audit, 'authn_password_change_fail', caller, reason);
  }
}
