import { readFileSync, statSync } from 'node:fs';
import { PUBLISHED_PASSWORDS } from '@svc/auth-core';
import { COMMON_PASSWORDS } from '../runtime/resources.ts';

/**
 * Whether a password is on the list of the most common ones, in any letter case. Read for the first question; throws
 * at once when it is not there.
 */
export function commonPasswords(): (password: string) => boolean {
  statSync(COMMON_PASSWORDS);
  let list: string | undefined;
  return (password) => {
    list ??= commonList();
    return !password.includes('\n') && list.includes(`\n${password.toLowerCase()}\n`);
  };
}

/** In one piece: a set of its lines takes ten times the memory. */
function commonList(): string {
  return `\n${readFileSync(COMMON_PASSWORDS, 'utf8')}\n${PUBLISHED_PASSWORDS.join('\n')}\n`;
}
