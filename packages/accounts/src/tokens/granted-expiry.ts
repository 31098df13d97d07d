import { type Caller, Refusal } from '@svc/auth-core';
import { parseInstant } from '@svc/module';

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
