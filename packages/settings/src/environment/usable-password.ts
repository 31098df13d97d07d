/**
 * Maximum length of a password in bytes, because bcrypt ignores further bytes. A longer password is refused, never
 * truncated (contract 4).
 */
const MAX_BYTES = 72;

/** @returns whether bcrypt can hash the password. A password that bcrypt cannot hash is always wrong. */
export function isUsablePassword(password: string): boolean {
  return !password.includes('\0') && new TextEncoder().encode(password).length <= MAX_BYTES;
}
