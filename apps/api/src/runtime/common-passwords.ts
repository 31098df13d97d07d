import { commonPasswords as passwordsOf } from '@svc/accounts';
import { COMMON_PASSWORDS } from './resources.ts';

/** @returns a function that returns whether a password is on the list of common passwords, in any letter case */
export function commonPasswords(): (password: string) => boolean {
  return passwordsOf(COMMON_PASSWORDS);
}
