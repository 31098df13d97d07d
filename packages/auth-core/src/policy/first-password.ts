import { DEFAULT_ADMIN_PASSWORD, EXAMPLE_PASSWORDS } from '@svc/contract';
import type { CommonPasswords } from '../secrets/password.ts';

export const WEAK_CHARACTERS = 8;

/** Passwords that anyone can look up: the built-in one, and those that the documentation shows (contract 5). */
export const PUBLISHED_PASSWORDS: readonly string[] = [DEFAULT_ADMIN_PASSWORD, ...EXAMPLE_PASSWORDS];

/** @returns whether the password is published, in any letter case */
export function isPublishedPassword(password: string): boolean {
  return PUBLISHED_PASSWORDS.includes(password.trim().toLowerCase());
}

/**
 * @returns whether a password from the environment should be replaced, because it is published, short or common. It is
 * accepted, with a warning at every start until it is changed (contract 4).
 */
export function isWeakFirstPassword(password: string, isCommonPassword: CommonPasswords): boolean {
  return (
    isPublishedPassword(password) ||
    [...password].length < WEAK_CHARACTERS ||
    isCommonPassword?.(password) === true
  );
}
