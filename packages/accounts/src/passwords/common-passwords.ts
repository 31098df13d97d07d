import { readFileSync, statSync } from 'node:fs';
import { PUBLISHED_PASSWORDS } from './first-password.ts';

/**
 * Returns the check for common passwords. The list is read on the first check, but this function throws if its file is
 * missing.
 * @returns a function that returns whether a password is on the list, in any letter case
 */
export function commonPasswords(file: string | URL): (password: string) => boolean {
  statSync(file);
  let list: string | undefined;
  return (password) => {
    list ??= commonList(file);
    return !password.includes('\n') && list.includes(`\n${password.toLowerCase()}\n`);
  };
}

/** Returns the list of common passwords as one string, because a Set of lines would take ten times the memory. */
function commonList(file: string | URL): string {
  return `\n${readFileSync(file, 'utf8')}\n${PUBLISHED_PASSWORDS.join('\n')}\n`;
}
