import { Refusal } from '../errors.ts';
import type { Caller } from '../principal.ts';

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

/**
 * Computes the expiry of a credential that the caller creates (specification 5.2.2, 5.2.3). The result is never later
 * than the expiry of the caller's own credential, which is also the default if `asked` is undefined.
 *
 * @param asked requested expiry, or null to request a credential that never expires
 * @returns the expiry in ms since 1970, or null for never
 */
export function grantedExpiry(asked: string | null | undefined, caller: Caller, now: number): number | null {
  const bound = caller.grantsUntil;
  if (asked === undefined) return bound;
  if (asked === null) {
    if (bound !== null) throw new Refusal('expiry_exceeds_credential');
    return null;
  }
  const at = parseInstant(asked);
  if (at === null || at <= now) throw new Refusal('invalid_expiry');
  if (bound !== null && at > bound) throw new Refusal('expiry_exceeds_credential');
  return at;
}

/** @returns the time (ms since 1970) of a field of a query. Throws `bad_request` if the text is not an ISO 8601 time. */
export function instantOf(field: string, text: string): number {
  const at = parseInstant(text);
  if (at !== null) return at;
  throw new Refusal('bad_request', `${field} is not a time`, {
    message: `${field}: is not an ISO 8601 time`,
  });
}
