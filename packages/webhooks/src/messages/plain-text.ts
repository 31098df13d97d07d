/**
 * Characters that can hide text or change its order on the screen: control characters, line separators, surrogates, and
 * characters that change the direction of writing. They are replaced, because names of sessions and phones come from
 * users and devices and could mislead readers.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * @returns a text or a number as one line of at most `most` characters. A longer text is cut and ends with `…`. An
 * empty string for all other values.
 */
export function plainText(value: unknown, most = 200): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  // Cut a very long text before the replacements, which would be slow otherwise.
  const line = String(value)
    .slice(0, most * 4)
    .replace(UNPRINTABLE, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (line.length <= most) return line;
  // If the cut has separated a surrogate pair, remove its first half, which is invalid without the second.
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
