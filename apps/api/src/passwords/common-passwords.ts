import { readFileSync } from 'node:fs';
import { DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { COMMON_PASSWORDS } from '../resources.ts';

/** Whether a password is on the list of the most common ones, in any letter case. */
export function commonPasswords(): (password: string) => boolean {
  const list = new Set(readFileSync(COMMON_PASSWORDS, 'utf8').split('\n'));
  list.add(DEFAULT_ADMIN_PASSWORD);
  return (password) => list.has(password.toLowerCase());
}
