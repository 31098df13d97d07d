/**
 * Characters that can hide or reorder text: control characters, line separators, and directions of writing. Names of
 * sessions and phones come from users and devices.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * @returns a text or a number as one line of at most `most` characters, or an empty text for every other value. A
 * longer text is cut and ends with `…`.
 */
export function plainText(value: unknown, most = 200): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  // Cut before the other steps, because a text can be long.
  const line = String(value)
    .slice(0, most * 4)
    .replace(UNPRINTABLE, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (line.length <= most) return line;
  // A cut between two halves of a character would leave an invalid half.
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
