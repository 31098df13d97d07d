import { type Caller, checkAccess, effectiveScopes, Refusal, scopeSet } from '@svc/auth-core';
import { type Access, atNode, type CallerAccess, type Role, routes, SCOPES, type Scope } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';
import type { RouteRow } from '../route-table.ts';

/**
 * Which role and scope may call which route, computed with the guard's own rule, so that it cannot differ from what
 * the guard does.
 */
export function accessMatrixRoutes(api: App, context: HttpContext): void {
  const isNode = context.services.node !== null;
  handle(api, routes.accessMatrix, () => ({
    routes: context.routeTable.map((row) => describeRow(row, isNode)),
  }));
}

function describeRow({ method, path, access, category, originCheck }: RouteRow, isNode: boolean) {
  const asked: Partial<CallerAccess> = access.kind === 'caller' ? access : {};
  const isOpen = !(isNode && atNode(access) === 'hub');
  const scopesOf = (role: Role) => SCOPES.filter((scope) => isOpen && isAllowed(access, role, scope));
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
    allowed: {
      Member: scopesOf('Member'),
      Admin: scopesOf('Admin'),
      'Super admin': scopesOf('Super admin'),
    },
  };
}

/** Role and scope only; the kinds of credential a route accepts are a field beside it. */
function isAllowed(access: Access, role: Role, scope: Scope): boolean {
  if (access.kind !== 'caller') return true;
  const {
    only: _,
    bearerFromSignIn: __,
    orTicket: ___,
    orScrapeToken: ____,
    orHub: _____,
    atNode: ______,
    ...asked
  } = access;
  const caller = { account: { role }, scopes: effectiveScopes(scopeSet([scope]), role) } as Caller;
  try {
    checkAccess(caller, asked);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
