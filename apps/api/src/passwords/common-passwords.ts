import { readFileSync } from 'node:fs';
import { DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { COMMON_PASSWORDS } from '../resources.ts';

/** Whether a password is on the list of the most common ones, in any letter case. */
export function commonPasswords(): (password: string) => boolean {
  // Searched as it is: a set of its lines takes ten times the memory.
  const list = `\n${readFileSync(COMMON_PASSWORDS, 'utf8')}\n${DEFAULT_ADMIN_PASSWORD}\n`;
  return (password) => !password.includes('\n') && list.includes(`\n${password.toLowerCase()}\n`);
}
