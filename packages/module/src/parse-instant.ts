import { Refusal } from '@svc/auth-core';

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/**
 * @returns the instant of an ISO 8601 text in ms since 1970, or null if the text is not an instant. A date without a
 * time is the first moment of that day in UTC.
 */
export function parseInstant(text: string): number | null {
  const parts = ISO_8601.exec(text);
  if (parts === null) return null;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  const real = new Date(Date.UTC(year, month - 1, day));
  if (real.getUTCMonth() !== month - 1 || real.getUTCDate() !== day) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** @returns the time (ms since 1970) of a field of a query. Throws `bad_request` if the text is not an ISO 8601 time. */
export function instantOf(field: string, text: string): number {
  const at = parseInstant(text);
  if (at !== null) return at;
  throw new Refusal('bad_request', `${field} is not a time`, {
    message: `${field}: is not an ISO 8601 time`,
  });
}
