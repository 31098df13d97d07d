import {
  type Access,
  ADMIN,
  type Caller,
  checkAccess,
  effectiveScopes,
  Refusal,
  scopeSet,
} from '@svc/auth-core';
import { AccessMatrixResponse, ROLES, type Role, SCOPES, type Scope } from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import type { RouteRow } from '../route-table.ts';

/**
 * Who gets in where, worked out by the guard's own rule for every role and single scope: what an Admin reads here
 * is what happens.
 */
export function accessMatrixRoutes(api: App, context: HttpContext): void {
  api.get(
    '/access-matrix',
    { config: { access: ADMIN }, schema: { response: { 200: AccessMatrixResponse } } },
    async () => ({ routes: context.routeTable.map(describeRow) }),
  );
}

function describeRow({ method, path, access, category, originCheck }: RouteRow) {
  const asked: Partial<Extract<Access, { kind: 'caller' }>> = access.kind === 'caller' ? access : {};
  return {
    method,
    path,
    access: access.kind,
    role: asked.role ?? null,
    scope: asked.scope ?? null,
    credentials: (asked.only ?? ['key', 'bearer', 'sign-in']).map((kind) =>
      kind === 'bearer' && asked.bearerFromSignIn ? 'bearer from a sign-in' : kind,
    ),
    category,
    originCheck,
    allowed: Object.fromEntries(
      ROLES.map((role) => [role, SCOPES.filter((scope) => isAllowed(access, role, scope))]),
    ) as Record<Role, Scope[]>,
  };
}

/** Role and scope only; which kinds of credential a route takes stands beside it. */
function isAllowed(access: Access, role: Role, scope: Scope): boolean {
  if (access.kind !== 'caller') return true;
  const { only: _, bearerFromSignIn: __, ...asked } = access;
  const caller = { account: { role }, scopes: effectiveScopes(scopeSet([scope]), role) } as Caller;
  try {
    checkAccess(caller, asked);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
