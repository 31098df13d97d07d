import { Refusal } from '../errors.ts';
import type { Caller } from '../principal.ts';
import { holds } from '../scopes.ts';
import { isOverrideAdmin } from './access.ts';
import { refusalToDrive, type SessionOwner } from './drive-session.ts';

/** A request that waits at a proxy. */
export type RequestToForward =
  /** `owners`: of every session that some reading of its path names. */
  | { readonly kind: 'session'; readonly owners: readonly SessionOwner[] }
  | { readonly kind: 'create' }
  /** A list of everyone's sessions, which nobody filters behind a proxy. */
  | { readonly kind: 'listing' }
  /** `api`: a server that checks the request itself. */
  | { readonly kind: 'api' | 'other' };

/**
 * Why a proxy may not pass on a request of `caller`; null: it may. Sessions follow the rules of the command check:
 * never with the cookie (specification 5.7.2), unknown and another's refused alike (5.7.3, contract 7).
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
