import { type Caller, holds, isOverrideAdmin, Refusal } from '@svc/auth-core';
import { refusalToDrive, type SessionOwner } from '@svc/device-lab';

/** A request that a proxy forwards only if `refusalToForward` allows it. */
export type RequestToForward =
  /**
   * Request to a session. Servers may read the same path differently, so `owners` has the owner of each session that
   * the path could name.
   */
  | { readonly kind: 'session'; readonly owners: readonly SessionOwner[] }
  | { readonly kind: 'create' }
  /**
   * Request for the list of all sessions. A proxy forwards the list whole, so only callers who may see every session
   * may get it.
   */
  | { readonly kind: 'listing' }
  /** Any other request. `api` is a request to the API of svc, which checks the rights of the caller. */
  | { readonly kind: 'api' | 'other' };

/**
 * Decides whether a proxy may forward a request. The dashboard's cookie is not accepted for requests to sessions
 * (specification 5.7.2), and unknown sessions get the same refusal as sessions of other users (5.7.3, contract 7).
 *
 * @returns why the proxy must not forward the request, or null if it may be forwarded
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
