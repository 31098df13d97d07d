import { Refusal } from '../errors.ts';
import type { Caller } from '../principal.ts';
import { holds } from '../scopes.ts';
import { isOverrideAdmin } from './access.ts';
import { refusalToDrive, type SessionOwner } from './drive-session.ts';

/** A request that a proxy forwards only if `refusalToForward` allows it. */
export type RequestToForward =
  /**
   * Request to sessions. A path can be read in several ways, so `owners` contains the owner of each session that one of
   * these readings names.
   */
  | { readonly kind: 'session'; readonly owners: readonly SessionOwner[] }
  | { readonly kind: 'create' }
  /** Request for a list of all sessions, which a proxy does not filter by caller. */
  | { readonly kind: 'listing' }
  /** Other requests. `api` is a request to a server that checks the caller itself. */
  | { readonly kind: 'api' | 'other' };

/**
 * Decides whether a proxy may forward a request. Requests to sessions follow the rules of the command check: the cookie
 * is never accepted (specification 5.7.2), and unknown sessions are refused like sessions of other users (5.7.3,
 * contract 7).
 *
 * @returns why a proxy may not forward the caller's request, or null if it may
 */
export function refusalToForward(caller: Caller, request: RequestToForward): Refusal | null {
  switch (request.kind) {
    case 'session':
      return cookieRefusal(caller) ?? sessionRefusal(caller, request.owners);
    case 'create':
      return cookieRefusal(caller) ?? (holds(caller.scopes, 'sessions') ? null : scopeRefusal('sessions'));
    case 'listing':
      return isOverrideAdmin(caller) ? null : scopeRefusal('admin');
    case 'api':
    case 'other':
      return null;
  }
}

function cookieRefusal({ credential }: Caller): Refusal | null {
  return credential.ownSignIn === null
    ? null
    : new Refusal('unauthenticated', 'a sign-in is no credential for WebDriver requests');
}

function sessionRefusal(caller: Caller, owners: readonly SessionOwner[]): Refusal | null {
  for (const owner of owners) {
    const reason = refusalToDrive(caller, owner);
    if (reason !== null) return new Refusal('not_your_session', reason, { message: NOT_YOURS });
  }
  return null;
}

const NOT_YOURS = 'The session is unknown, or you may not drive it.';

function scopeRefusal(required: 'sessions' | 'admin'): Refusal {
  return new Refusal('insufficient_scope', 'scope missing', { required });
}
