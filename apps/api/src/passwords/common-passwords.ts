import { readFileSync } from 'node:fs';
import { DEFAULT_ADMIN_PASSWORD } from '@svc/contract';

/** One password of at least 8 characters a line, in lower case, the most common first. */
const LIST = new URL('../../data/common-passwords.txt', import.meta.url);

/** Whether a password is on the list of the most common ones, in any letter case. */
export function commonPasswords(): (password: string) => boolean {
  const list = new Set(readFileSync(LIST, 'utf8').split('\n'));
  list.add(DEFAULT_ADMIN_PASSWORD);
  return (password) => list.has(password.toLowerCase());
}
