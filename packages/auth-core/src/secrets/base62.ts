import type { Random } from '../ports/index.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * @returns `length` random base62 characters, all equally likely. Bytes of 248 and more are skipped: 256 is not a
 * multiple of 62, so they would make the first characters more likely
 */
export function randomBase62(random: Random, length: number): string {
  const usable = 256 - (256 % 62);
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length - text.length + 8)) {
      if (byte < usable && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** @returns the number in base62, padded with `0` on the left to `width` characters */
export function toBase62(value: number, width: number): string {
  let rest = value;
  let text = '';
  while (rest > 0) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text.padStart(width, '0');
}
