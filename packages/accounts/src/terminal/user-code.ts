import type { Random } from '@svc/auth-core';

/** Letters of a user code. Vowels and `Y` are left out, so that no code forms a word (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const FORM = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

/**
 * @returns a random user code of eight letters with a hyphen in the middle. It has about 34.6 bits of entropy (contract
 * 10.7)
 */
export function newUserCode(random: Pick<Random, 'bytes'>): string {
  // Bytes from this value on are skipped, because they would make the first letters of `LETTERS` more likely than the
  // others.
  const usable = 256 - (256 % LETTERS.length);
  let text = '';
  while (text.length < LENGTH) {
    for (const byte of random.bytes(LENGTH)) {
      if (byte < usable && text.length < LENGTH) text += LETTERS[byte % LETTERS.length];
    }
  }
  return withHyphen(text);
}

/**
 * @returns the user code that a person typed, in the form of `newUserCode`, or undefined if the text is not a user
 * code. Letter case, hyphens and white space do not matter.
 */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s-]/g, '').toUpperCase();
  return FORM.test(letters) ? withHyphen(letters) : undefined;
}

function withHyphen(letters: string): string {
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}
