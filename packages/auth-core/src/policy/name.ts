import { Refusal } from '../errors.ts';

const LONGEST = 100;

/** A name people give things: trimmed, 1 to 100 characters, none of them a control character or half a pair. */
export function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > LONGEST || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(trimmed)) {
    throw new Refusal('invalid_name');
  }
  return trimmed;
}
