/** Returns a time in the format of responses: ISO 8601 in UTC with milliseconds (contract 1). */
export function instant(ms: number): string;
export function instant(ms: number | null): string | null;
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
