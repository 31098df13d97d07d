/**
 * @returns a key for comparing e-mail addresses. Spellings that differ only in letter case or Unicode composition have
 * the same key (contract 2, `/users`).
 */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * @returns a key for comparing addresses that prove something. Only the letters A to Z are folded, because other characters
 * become one of them: U+212A (Kelvin sign) becomes `k`, so another person's address could equal that of an account.
 */
export function exactEmailKey(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * @returns whether the text is an e-mail address. An address with characters that stand for others (NFKC), such as
 * full-width letters, is refused, because it looks like another address.
 */
export function isEmailAddress(value: string): boolean {
  const composed = value.normalize('NFC');
  const isCanonical = value === composed || value === value.normalize('NFD');
  return (
    value.length <= 254 &&
    isCanonical &&
    composed.normalize('NFKC') === composed &&
    /^[^\s\p{Cc}\p{Cs}@<>"',;:\\()[\]]+@[^\s\p{Cc}\p{Cs}@<>"',;:\\()[\]]+$/u.test(value)
  );
}
