import {
  ALL_SCOPES,
  type Caller,
  expand,
  missing,
  NO_SCOPES,
  Refusal,
  type ScopeSet,
  scopeList,
  scopeSet,
} from '@svc/auth-core';
import { isScope, type Role, type Scope } from '@svc/contract';

/** Scopes by role that a Profile token gets if its request names none (specification 2, Token; 5.2.1). */
const PROFILE_DEFAULT: Record<Role, ScopeSet> = {
  Member: scopeSet(['read', 'sessions']),
  Admin: scopeSet(['read', 'sessions', 'devices']),
  'Super admin': scopeSet(['admin']),
};

export function profileDefault(role: Role): ScopeSet {
  return PROFILE_DEFAULT[role];
}

/**
 * @returns the scopes that a Profile token may have at most, which are its default scopes, or all scopes for a Super
 * admin (contract 3.1)
 */
export function profileCeiling(role: Role): ScopeSet {
  return role === 'Super admin' ? ALL_SCOPES : PROFILE_DEFAULT[role];
}

/**
 * @returns the scopes of a new Profile token (specification 5.2.1), which are those requested or, by default, those of
 * `profileDefault`. Throws a refusal if the role or the caller's credential does not cover them.
 */
export function profileTokenScopes(asked: readonly string[] | undefined, caller: Caller): ScopeSet {
  const { role } = caller.account;
  const wanted = asked === undefined || asked.length === 0 ? profileDefault(role) : knownScopes(asked);
  refuseBeyond(wanted, profileCeiling(role), caller);
  return wanted;
}

/**
 * @returns the scopes of a new API key. Throws a refusal if the caller's credential does not cover them (specification
 * 2, API key).
 */
export function apiKeyScopes(asked: readonly string[], caller: Caller): ScopeSet {
  const wanted = knownScopes(asked);
  if (wanted === NO_SCOPES)
    throw new Refusal('bad_request', 'no scopes', { message: 'scopes: must name at least one scope' });
  refuseBeyond(wanted, expand(wanted), caller);
  return wanted;
}

function knownScopes(asked: readonly string[]): ScopeSet {
  const unknown = asked.filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new Refusal('unknown_scope', 'unknown scope', { scopes: unknown });
  return scopeSet(asked as readonly Scope[]);
}

function refuseBeyond(wanted: ScopeSet, ceiling: ScopeSet, caller: Caller): void {
  const beyond = scopeSet([
    ...scopeList((wanted & ~ceiling) as ScopeSet),
    ...scopeList(missing(wanted, caller.scopes)),
  ]);
  if (beyond !== NO_SCOPES) {
    throw new Refusal('scope_exceeds_credential', 'scopes beyond the credential or the role', {
      scopes: scopeList(beyond),
    });
  }
}

/** Highest number of requests per minute that an API key can be given. */
const HIGHEST_RATE_LIMIT = 100_000;

/** @returns the rate limit. Throws `invalid_rate_limit` unless it is a whole number from 1 to 100,000. */
export function checkRateLimit(rateLimit: number): number {
  if (!Number.isInteger(rateLimit) || rateLimit < 1 || rateLimit > HIGHEST_RATE_LIMIT) {
    throw new Refusal('invalid_rate_limit');
  }
  return rateLimit;
}
