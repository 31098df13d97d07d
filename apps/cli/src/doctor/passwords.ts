import { isWeakFirstPassword, temporaryPasswordEnd } from '@svc/accounts';
import { commonPasswords } from '@svc/api/host.js';
import type { Stores } from '@svc/auth-core';
import type { Config } from '@svc/settings';
import { type Finding, failure, ok, warning } from './finding.ts';

const CHECK = 'default-password';
const SET_ANOTHER =
  'Set it to a generated password. This command prints one: ' +
  `\`node -p 'require("node:crypto").randomBytes(18).toString("base64url")'\`.`;

/**
 * Checks that neither an account nor the settings have the built-in password or a weak one.
 * @param hasDefaultPassword whether an active account has such a password, or null if there is no database
 */
export function checkPasswords(
  { bootstrap, passwordBlocklist }: Pick<Config, 'bootstrap' | 'passwordBlocklist'>,
  hasDefaultPassword: boolean | null,
): Finding[] {
  if (hasDefaultPassword)
    return [
      failure(
        CHECK,
        'An active account still has a weak password or the built-in one, which everybody can read in the documentation',
        'Sign in and change it, or run `svc admin reset-password <email>`.',
      ),
    ];
  const isUsed = hasDefaultPassword === null || bootstrap.resetPassword;
  if (bootstrap.password === null && bootstrap.resetPassword)
    return [
      failure(
        CHECK,
        'SVC_BOOTSTRAP_RESET_PASSWORD sets the built-in password at the next start',
        SET_ANOTHER,
      ),
    ];
  const isCommon = passwordBlocklist ? commonPasswords() : undefined;
  if (bootstrap.password !== null && isWeakFirstPassword(bootstrap.password, isCommon)) {
    const fault =
      'SVC_BOOTSTRAP_ADMIN_PASSWORD is too short, a common password, or an example from the documentation';
    return [
      isUsed
        ? failure(CHECK, `${fault}, and the next start sets it for the first account`, SET_ANOTHER)
        : warning(CHECK, `${fault}. It has no effect on accounts that exist`, SET_ANOTHER),
    ];
  }
  return hasDefaultPassword === null ? [] : [ok(CHECK, 'No account has the built-in password')];
}

/** Counts the active accounts whose owners have not yet replaced the temporary password. */
export function checkTemporaryPasswords({ accounts }: Pick<Stores, 'accounts'>, now: number): Finding {
  const check = 'temporary-passwords';
  const ends = accounts
    .list()
    .filter(({ status }) => status === 'Active')
    .map(temporaryPasswordEnd)
    .filter((end) => end !== undefined);
  if (ends.length === 0) return ok(check, 'No active account has a temporary password');
  const used = ends.filter((end) => end === null).length;
  const expired = ends.filter((end) => end !== null && end <= now).length;
  return warning(
    check,
    `Active accounts with a temporary password: ${ends.length} (${ends.length - used - expired} not used yet, ${used} used but not replaced, ${expired} expired)`,
    'The page Users shows them. Ask the owners to sign in and choose a password, send a reset link where the password has expired, or deactivate accounts that are not needed.',
  );
}
