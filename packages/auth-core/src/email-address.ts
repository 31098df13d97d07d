/**
 * @returns a key for comparing e-mail addresses. Spellings that differ only in letter case or Unicode composition have
 * the same key (contract 2, `/users`).
 */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}

export function isEmailAddress(value: string): boolean {
  return (
    value.length <= 254 &&
    /^[^\s\p{Cc}\p{Cs}@<>"',;:\\()[\]]+@[^\s\p{Cc}\p{Cs}@<>"',;:\\()[\]]+$/u.test(value)
  );
}
