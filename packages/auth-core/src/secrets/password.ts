import { Refusal } from '../errors.ts';

/** bcrypt reads 72 bytes and no more; a longer password is refused, never cut (contract 4). */
const MAX_BYTES = 72;
const MIN_CHARACTERS = 8;

/** Whether a password is on the list of the most common ones; absent when the list is switched off. */
export type CommonPasswords = ((password: string) => boolean) | undefined;

/** Throws the specification's refusal for a password that cannot be set (5.9.5, contract 2); lengths first. */
export function checkNewPassword(password: unknown): asserts password is string {
  if (typeof password !== 'string' || [...password].length < MIN_CHARACTERS) {
    throw new Refusal('password must be at least 8 characters');
  }
  if (new TextEncoder().encode(password).length > MAX_BYTES) throw new Refusal('password is too long');
  if (password.includes('\0')) throw new Refusal('password has an unusable character');
}

/** Comes after the old password or the link was found good (contract 4). */
export function checkNotCommon(password: string, isCommon: CommonPasswords): void {
  if (isCommon?.(password)) throw new Refusal('password is too common');
}

/** Whether bcrypt could have hashed it at all; anything else is a wrong password without a comparison of its own. */
export function isUsablePassword(password: string): boolean {
  return !password.includes('\0') && new TextEncoder().encode(password).length <= MAX_BYTES;
}

/** The cost a bcrypt hash was made with; 0 for text that is no such hash. */
export function hashCost(hash: string): number {
  return Number(/^\$2[aby]\$(\d{2})\$/.exec(hash)?.[1] ?? 0);
}
