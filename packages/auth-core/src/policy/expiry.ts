import { Refusal } from '../errors.ts';
import type { Caller } from '../principal.ts';

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/**
 * @returns milliseconds since 1970 of an ISO 8601 instant, or null if the text is none. A date is its first UTC moment.
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
 * Computes the expiry of a credential that the caller creates (specification 5.2.2, 5.2.3). Without `asked`, it is that
 * of the caller's credential. It can never be later than that.
 *
 * @param asked null requests a credential that never expires
 * @returns milliseconds, or null for never
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
