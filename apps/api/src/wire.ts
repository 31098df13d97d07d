import { Recent } from '@svc/auth-core';

/** The text of a time costs more than the check of a credential, and an expiry is told on every request. */
const texts = new Recent<number, string>(10_000);

/** A time as the wire has it: ISO 8601 UTC with milliseconds (contract 1). */
export function instant(ms: number): string;
export function instant(ms: number | null): string | null;
export function instant(ms: number | null): string | null {
  if (ms === null) return null;
  const known = texts.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toISOString();
  texts.set(ms, text);
  return text;
}
