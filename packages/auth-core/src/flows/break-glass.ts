import { LOCAL_ORIGIN } from '../audit.ts';
import type { Account } from '../principal.ts';
import { newTemporaryPassword } from '../secrets/opaque.ts';
import { checkNewPassword } from '../secrets/password.ts';
import type { PasswordTools } from './password-tools.ts';
import { signOutEverywhere, TEMPORARY_PASSWORD_MS } from './set-password.ts';

/** What someone with access to the data folder may do without an account. */
export class BreakGlass {
  readonly #tools: PasswordTools;

  constructor(tools: PasswordTools) {
    this.#tools = tools;
  }

  /**
   * `svc admin reset-password`: a temporary password for one account, `given` or a random one; its sign-ins, bearer
   * tokens and reset links end. Undefined when there is no such account.
   */
  async resetPassword(
    email: string,
    given: string | undefined,
  ): Promise<{ account: Account; password: string } | undefined> {
    const { stores, clock, random, hasher, audit, isCommonPassword } = this.#tools;
    if (given !== undefined) checkNewPassword(given, isCommonPassword);
    const password = given ?? newTemporaryPassword(random);
    const passwordHash = await hasher.hash(password);
    return stores.transaction((tx) => {
      const account = tx.accounts.byEmail(email);
      if (account === undefined) return undefined;
      tx.accounts.update(account.id, {
        passwordHash,
        temporaryPasswordUntil: clock.now() + TEMPORARY_PASSWORD_MS,
        defaultPassword: false,
      });
      signOutEverywhere(tx, account);
      const reason = 'svc admin reset-password on the host';
      audit.record(tx, 'authn_password_change', { ...LOCAL_ORIGIN, target: account.id, reason });
      return { account, password };
    });
  }
}
