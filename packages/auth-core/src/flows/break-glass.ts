import { LOCAL_ORIGIN } from '../audit.ts';
import type { Account } from '../principal.ts';
import { newTemporaryPassword } from '../secrets/opaque.ts';
import { checkNewPassword } from '../secrets/password.ts';
import type { PasswordTools } from './password-tools.ts';
import { signOutEverywhere, TEMPORARY_PASSWORD_MS } from './set-password.ts';

/**
 * `svc admin reset-password`, run by someone with access to the data folder: a temporary password for one account, its
 * sign-ins, bearer tokens and reset links ended. Undefined when there is no such account.
 */
export async function breakGlass(
  email: string,
  given: string | undefined,
  { stores, clock, random, hasher, audit, isCommonPassword }: PasswordTools,
): Promise<{ account: Account; password: string } | undefined> {
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
