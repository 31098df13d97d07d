/** The form in which two addresses are one (contract 2, `/users`): any letter case, any composition of a letter. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}

export function isEmailAddress(value: string): boolean {
  return (
    value.length <= 254 &&
    /^[^\s\p{Cc}\p{Cs}@<>"',;:\\()[\]]+@[^\s\p{Cc}\p{Cs}@<>"',;:\\()[\]]+$/u.test(value)
  );
}
