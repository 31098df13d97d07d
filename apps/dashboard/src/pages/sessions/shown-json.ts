/** More than a person reads, and than a page draws at once. */
const MOST_SHOWN = 100_000;

/** What a command carried or answered, as text; `null`: nothing. It comes from hosts and phones. */
export function shownJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
