/** Formats a time as the API does: ISO 8601 in UTC with milliseconds. */
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
