import { MCP_SCOPES, type McpScope, type Role, SCOPES, type Scope } from '@svc/contract';

/**
 * A set of API scopes as bits, which makes set operations cheap on the path of every request. Only this file knows the
 * layout.
 */
export type ScopeSet = number & { readonly scopeSet: unique symbol };

const BIT: Record<Scope, number> = { read: 1, sessions: 2, devices: 4, admin: 8 };

export const NO_SCOPES = 0 as ScopeSet;

export function scopeSet(scopes: Iterable<Scope>): ScopeSet {
  let bits = 0;
  for (const scope of scopes) bits |= BIT[scope];
  return bits as ScopeSet;
}

/** @returns the scopes in the order of the wire: `read, sessions, devices, admin` (contract 1) */
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

/** `admin` stands for every scope (contract 3.2). */
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

/** Scopes of a sign-in with this role, and the most that any credential of the account has (contract 3.1). */
const ROLE_ALLOWANCE: Record<Role, ScopeSet> = {
  Member: WITHOUT_ADMIN,
  Admin: ALL_SCOPES,
  'Super admin': ALL_SCOPES,
};

export function roleAllowance(role: Role): ScopeSet {
  return ROLE_ALLOWANCE[role];
}

/** Scopes a Profile token gets when none are named (specification 2, Token; 5.2.1). */
const PROFILE_DEFAULT: Record<Role, ScopeSet> = {
  Member: scopeSet(['read', 'sessions']),
  Admin: WITHOUT_ADMIN,
  'Super admin': scopeSet(['admin']),
};

export function profileDefault(role: Role): ScopeSet {
  return PROFILE_DEFAULT[role];
}

/** The most a Profile token may hold: its default, except that a Super admin may take any (contract 3.1). */
export function profileCeiling(role: Role): ScopeSet {
  return role === 'Super admin' ? ALL_SCOPES : PROFILE_DEFAULT[role];
}

/**
 * @returns the granted scopes that the role allows now (contract 3.2). `admin` is not expanded first. It has no effect
 * for a demoted user, so a token with only `admin` is left with no scope.
 */
export function effectiveScopes(granted: ScopeSet, role: Role): ScopeSet {
  return intersect(granted, roleAllowance(role));
}

/** MCP scopes each API scope allows (specification 5.3.4). */
const ALLOWED_MCP: Record<Scope, readonly McpScope[]> = {
  read: ['svc:devices:read', 'svc:analytics:read'],
  sessions: ['auto:use', 'svc:recordings'],
  devices: ['svc:devices:read', 'svc:devices:lock', 'svc:recordings'],
  admin: MCP_SCOPES,
};

/** @returns MCP scopes that may be granted to a credential with these effective scopes (specification 5.3.4) */
export function allowedMcpScopes(held: ScopeSet): McpScope[] {
  const allowed = new Set(scopeList(held).flatMap((scope) => ALLOWED_MCP[scope]));
  return MCP_SCOPES.filter((scope) => allowed.has(scope));
}

/** @returns API scopes of an `svc-mcp` token (specification 5.3.5) */
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
