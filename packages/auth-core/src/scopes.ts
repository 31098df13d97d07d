import { MCP_SCOPES, type McpScope, type Role, SCOPES, type Scope } from '@svc/contract';

/**
 * A set of API scopes as bits. Every request computes with such sets, and computing with bits is cheap. Only this file
 * defines which bit belongs to which scope.
 */
export type ScopeSet = number & { readonly scopeSet: unique symbol };

const BIT: Record<Scope, number> = { read: 1, sessions: 2, devices: 4, admin: 8 };

export const NO_SCOPES = 0 as ScopeSet;

export function scopeSet(scopes: Iterable<Scope>): ScopeSet {
  let bits = 0;
  for (const scope of scopes) bits |= BIT[scope];
  return bits as ScopeSet;
}

/** @returns the scopes in the order in which responses list them: `read, sessions, devices, admin` (contract 1) */
export function scopeList(set: ScopeSet): Scope[] {
  return SCOPES.filter((scope) => (set & BIT[scope]) !== 0);
}

export function intersect(a: ScopeSet, b: ScopeSet): ScopeSet {
  return (a & b) as ScopeSet;
}

export function union(a: ScopeSet, b: ScopeSet): ScopeSet {
  return (a | b) as ScopeSet;
}

export const ALL_SCOPES = scopeSet(SCOPES);

/** @returns whether the set has the scope, or has `admin`, which includes every scope (contract 3.2) */
export function holds(set: ScopeSet, scope: Scope): boolean {
  return (set & (BIT[scope] | BIT.admin)) !== 0;
}

/** @returns the set with `admin` replaced by every scope */
export function expand(set: ScopeSet): ScopeSet {
  return (set & BIT.admin) !== 0 ? ALL_SCOPES : set;
}

/** @returns the scopes of `wanted` that `held` does not cover */
export function missing(wanted: ScopeSet, held: ScopeSet): ScopeSet {
  return (wanted & ~expand(held)) as ScopeSet;
}

const WITHOUT_ADMIN = scopeSet(['read', 'sessions', 'devices']);

/**
 * Scopes of a dashboard sign-in by the role of its account. No other credential of the account can have more scopes
 * (contract 3.1).
 */
const ROLE_ALLOWANCE: Record<Role, ScopeSet> = {
  Member: WITHOUT_ADMIN,
  Admin: ALL_SCOPES,
  'Super admin': ALL_SCOPES,
};

export function roleAllowance(role: Role): ScopeSet {
  return ROLE_ALLOWANCE[role];
}

/**
 * @returns the granted scopes that the role allows now (contract 3.2). `admin` counts only as itself here, although it
 * usually includes every scope: a token with only `admin` has no scope left after its user was demoted
 */
export function effectiveScopes(granted: ScopeSet, role: Role): ScopeSet {
  return intersect(granted, roleAllowance(role));
}

/** MCP scopes that a credential with each API scope can get (specification 5.3.4). */
const ALLOWED_MCP: Record<Scope, readonly McpScope[]> = {
  read: ['svc:devices:read', 'svc:analytics:read'],
  sessions: ['auto:use', 'svc:recordings'],
  devices: ['svc:devices:read', 'svc:devices:lock', 'svc:recordings'],
  admin: MCP_SCOPES,
};

/** @returns the MCP scopes that may be granted to a credential with these effective scopes (specification 5.3.4) */
export function allowedMcpScopes(held: ScopeSet): McpScope[] {
  const allowed = new Set(scopeList(held).flatMap((scope) => ALLOWED_MCP[scope]));
  return MCP_SCOPES.filter((scope) => allowed.has(scope));
}

/** @returns the API scopes of an `svc-mcp` token with the MCP scopes `granted` (specification 5.3.5) */
export function apiScopesOfMcp(
  granted: readonly McpScope[],
  held: ScopeSet,
  requestedAll: boolean,
): ScopeSet {
  let set = NO_SCOPES;
  if (granted.includes('auto:use')) set = union(set, scopeSet(['sessions']));
  if (granted.includes('svc:devices:lock')) set = union(set, scopeSet(['devices']));
  if (requestedAll && holds(held, 'admin')) set = union(set, scopeSet(['admin']));
  return set;
}
