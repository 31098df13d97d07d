/** A time as the API shows it: ISO 8601 UTC with milliseconds. */
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
