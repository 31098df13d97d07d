/** More than a person reads, and more than a page can render quickly. */
const MOST_SHOWN = 100_000;

/** @returns the request or response of a command as text, or null if it has none; it comes from other machines */
export function shownJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
