/**
 * Characters that can hide or reorder text: control characters, line separators, surrogates, and characters that change
 * the direction of writing. They are removed, because users and devices choose the names of sessions and phones.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * @returns a text or a number as one line of at most `most` characters, or an empty text for every other value. A
 * longer text is cut and ends with `…`.
 */
export function plainText(value: unknown, most = 200): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  // Cut a very long text first, so that the following steps are fast.
  const line = String(value)
    .slice(0, most * 4)
    .replace(UNPRINTABLE, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (line.length <= most) return line;
  // The cut may have separated a surrogate pair. If so, remove its first half, which is invalid without the second.
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
