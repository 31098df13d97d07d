/** Maximum number of characters to show. It is more than a person reads, and a longer text would slow down the page. */
const MOST_SHOWN = 100_000;

/**
 * @returns the request or response of a command as text, cut to `MOST_SHOWN` characters, or null if the command has
 * none
 */
export function shownJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
