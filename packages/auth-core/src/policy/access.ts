import { isAtLeast, type Role, type Scope } from '@svc/contract';
import { Refusal } from '../errors.ts';
import type { Caller } from '../principal.ts';
import { holds } from '../scopes.ts';

/**
 * What a route asks of its caller; every route declares one, and one without stops the start.
 * - `public`: nobody is asked anything.
 * - `ticket`: the handler redeems a single-use ticket.
 * - `caller`: any valid credential, with the least role, scope and kinds named.
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'ticket' }
  | {
      readonly kind: 'caller';
      readonly role?: Role;
      readonly scope?: Scope;
      /** Kinds of credential accepted; absent: all. */
      readonly only?: readonly string[];
      /** A bearer token must have been minted from a sign-in. */
      readonly bearerFromSignIn?: true;
    };

/** What a route asks that somebody has to be let in to. */
export type CallerAccess = Extract<Access, { kind: 'caller' }>;

export const PUBLIC: Access = { kind: 'public' };
export const TICKET: Access = { kind: 'ticket' };
export const ANY_CALLER: CallerAccess = { kind: 'caller' };
export const ADMIN: CallerAccess = { kind: 'caller', role: 'Admin', scope: 'admin' };
export const SUPER_ADMIN: CallerAccess = { kind: 'caller', role: 'Super admin', scope: 'admin' };
export const DEVICES: CallerAccess = { kind: 'caller', role: 'Member', scope: 'devices' };
/** A person's own browser; sign-in off counts (specification 5.12: everyone is signed in). */
export const SIGN_IN_ONLY: CallerAccess = { kind: 'caller', only: ['sign-in', 'none'] };
/** A person who signed in, also with a bearer token minted from that sign-in. */
export const FROM_SIGN_IN: CallerAccess = {
  kind: 'caller',
  only: ['sign-in', 'bearer', 'none'],
  bearerFromSignIn: true,
};

/** Throws the refusal: role first, then scope (contract 1, guard order). */
export function checkAccess(caller: Caller, access: CallerAccess): void {
  if (access.only !== undefined && !access.only.includes(caller.credential.kind)) {
    throw new Refusal('sign_in_required');
  }
  const { credential } = caller;
  if (access.bearerFromSignIn && credential.sourceSignIn === null && !credential.isPerson) {
    throw new Refusal('sign_in_required', 'bearer token not minted from a sign-in');
  }
  if (access.role !== undefined && !isAtLeast(caller.account.role, access.role)) {
    throw new Refusal('insufficient_role', 'role too low', { required: access.role });
  }
  if (access.scope !== undefined && !holds(caller.scopes, access.scope)) {
    throw new Refusal('insufficient_scope', 'scope missing', { required: access.scope });
  }
}

/** May drive, see and end anyone's session (contract 3.4). */
export function isOverrideAdmin(caller: Caller): boolean {
  return caller.account.role === 'Super admin' || holds(caller.scopes, 'admin');
}
