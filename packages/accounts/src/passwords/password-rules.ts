import { Refusal } from '@svc/auth-core';
import { isUsablePassword } from '@svc/settings';
import type { CommonPasswords } from '../ports/tools.ts';

const MIN_CHARACTERS = 8;

/**
 * Throws a refusal if the password has fewer than 8 characters, has more than 72 bytes, or contains a NUL character
 * (specification 5.9.5, contract 2).
 */
export function checkNewPassword(password: unknown): asserts password is string {
  if (typeof password !== 'string' || [...password].length < MIN_CHARACTERS) {
    throw new Refusal('password must be at least 8 characters');
  }
  if (!isUsablePassword(password.replaceAll('\0', '0'))) throw new Refusal('password is too long');
  if (password.includes('\0')) throw new Refusal('password has an unusable character');
}

/**
 * Throws a refusal if the password is common. Call it after the old password or the reset link has been verified
 * (contract 4).
 */
export function checkNotCommon(password: string, isCommon: CommonPasswords): void {
  if (isCommon?.(password)) throw new Refusal('password is too common');
}

/** @returns the cost of a bcrypt hash, or 0 if the text is not such a hash */
export function hashCost(hash: string): number {
  return Number(/^\$2[aby]\$(\d{2})\$/.exec(hash)?.[1] ?? 0);
}
