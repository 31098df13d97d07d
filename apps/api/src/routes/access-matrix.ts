import { checkRoleAndScope, effectiveScopes, Refusal, scopeSet } from '@svc/auth-core';
import {
  type Access,
  acceptedProof,
  atNode,
  isPublic,
  PROVING_CREDENTIALS,
  type Role,
  routes,
  SCOPES,
  type Scope,
} from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { isApi, type RouteRow } from '../http/route-table.ts';

/**
 * Registers the route that lists which role and scope may call which route. The list is computed with the guard's own
 * rule, so that it cannot differ from the guard's decisions.
 */
export function accessMatrixRoutes(api: App, context: HttpContext): void {
  const isNode = context.services.modules.node !== undefined;
  handle(api, routes.accessMatrix, () => ({
    routes: context.routeTable.filter(({ path }) => isApi(path)).map((row) => describeRow(row, isNode)),
  }));
}

function describeRow({ method, path, access, category, originCheck }: RouteRow, isNode: boolean) {
  const isOpen = !(isNode && atNode(access) === 'hub');
  const scopesOf = (role: Role) => SCOPES.filter((scope) => isOpen && isAllowed(access, role, scope));
  return {
    method,
    path,
    access: kindOf(access),
    role: access.role ?? null,
    scope: access.scope ?? null,
    credentials: credentialsOf(access),
    category,
    originCheck,
    allowed: {
      Member: scopesOf('Member'),
      Admin: scopesOf('Admin'),
      'Super admin': scopesOf('Super admin'),
    },
  };
}

/**
 * Returns the kind of a route. A route that accepts a credential is of kind `caller`, even if it also accepts other
 * proofs such as tickets.
 */
function kindOf(access: Access): 'public' | 'ticket' | 'caller' {
  if (isPublic(access)) return 'public';
  return acceptedProof(access, 'credential') === undefined ? 'ticket' : 'caller';
}

function credentialsOf(access: Access): string[] {
  const { only = PROVING_CREDENTIALS, bearerFromSignIn } = acceptedProof(access, 'credential') ?? {};
  return only.map((kind) => {
    if (kind === 'sign-in' && access.fresh) return 'fresh sign-in';
    return kind === 'bearer' && bearerFromSignIn ? 'bearer from a sign-in' : kind;
  });
}

/**
 * Returns whether the role and the scope allow the route. The kind of credential is not checked, because the access
 * matrix lists the accepted kinds in another field.
 */
function isAllowed(access: Access, role: Role, scope: Scope): boolean {
  try {
    checkRoleAndScope({ account: { role }, scopes: effectiveScopes(scopeSet([scope]), role) }, access);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
