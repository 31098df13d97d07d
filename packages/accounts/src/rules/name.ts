import { Refusal } from '@svc/auth-core';

const LONGEST = 100;

/**
 * @returns the trimmed name. Throws a refusal unless the name has 1 to 100 characters, without control characters, line
 * separators and unpaired surrogates.
 */
export function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > LONGEST || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(trimmed)) {
    throw new Refusal('invalid_name');
  }
  return trimmed;
}
