import { ROLES, type Role, type Status } from '@svc/contract';
import { Refusal } from '../errors.ts';
import type { Account, Caller } from '../principal.ts';

/**
 * @param self whether the action may be on the caller's own account
 * @returns whether the caller may act on the target: an Admin on Members only, a Super admin on anyone (contract 3.6)
 */
export function mayActOn(caller: Caller, target: Account, { self }: { self: boolean }): boolean {
  if (target.id === caller.account.id) return self;
  return caller.account.role === 'Super admin' || target.role === 'Member';
}

/** An Admin sees Members and themselves, a Super admin everyone (contract 2, GET /users). */
export function maySee(caller: Caller, target: Account): boolean {
  return mayActOn(caller, target, { self: true });
}

/** `maySee` for a query: accounts with these roles, and the account `self`. */
export function visibleTo({ account }: Caller): { readonly roles: readonly Role[]; readonly self: string } {
  return { roles: account.role === 'Super admin' ? ROLES : ['Member'], self: account.id };
}

/** Throws if the caller may not assign the role. Only a Super admin makes Admins and Super admins. */
export function checkGivenRole(caller: Caller, role: Role): void {
  if (caller.account.role !== 'Super admin' && role !== 'Member') throw new Refusal('role_exceeds_yours');
}

export interface UserChange {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly status?: Status | undefined;
  readonly teamIds?: readonly string[] | undefined;
}

/** Throws if the caller may not make the change. No one may change their own role or status. */
export function checkUserChange(caller: Caller, target: Account, change: UserChange): void {
  const isSelf = target.id === caller.account.id;
  const changesRole = change.role !== undefined && change.role !== target.role;
  const changesStatus = change.status !== undefined && change.status !== target.status;
  if (isSelf && (changesRole || changesStatus)) throw new Refusal('cannot_change_yourself');
  if (!mayActOn(caller, target, { self: true })) throw new Refusal('role_exceeds_yours');
  if (changesRole) checkGivenRole(caller, change.role as Role);
}

/** Throws if the caller may not act on the target. For actions on other users only: deletion, reset link. */
export function checkActsOnOther(caller: Caller, target: Account): void {
  if (target.id === caller.account.id) throw new Refusal('cannot_change_yourself');
  if (!mayActOn(caller, target, { self: false })) throw new Refusal('role_exceeds_yours');
}
