import { DEFAULT_ADMIN_PASSWORD, EXAMPLE_PASSWORDS } from '@svc/contract';
import type { CommonPasswords } from '../ports/tools.ts';

export const WEAK_CHARACTERS = 8;

/**
 * Passwords that anyone can look up, which are the built-in password and those that the documentation shows (contract
 * 5).
 */
export const PUBLISHED_PASSWORDS: readonly string[] = [DEFAULT_ADMIN_PASSWORD, ...EXAMPLE_PASSWORDS];

/** @returns whether the password is one of `PUBLISHED_PASSWORDS`, in any letter case */
export function isPublishedPassword(password: string): boolean {
  return PUBLISHED_PASSWORDS.includes(password.trim().toLowerCase());
}

/**
 * @returns whether a password from the environment should be replaced, because it is published, short or common. The
 * server accepts such a password, but warns at every start until it is changed (contract 4).
 */
export function isWeakFirstPassword(password: string, isCommonPassword: CommonPasswords): boolean {
  return (
    isPublishedPassword(password) ||
    [...password].length < WEAK_CHARACTERS ||
    isCommonPassword?.(password) === true
  );
}
