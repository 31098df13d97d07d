import { type Account, type Caller, mayActOn, Refusal, type Stores } from '@svc/auth-core';
import { ROLES, type Role, type Status } from '@svc/contract';

/**
 * @returns the accounts that the caller may see, as a condition for a query: accounts with one of these roles, and the
 * account `self`. The result is the same as with `maySee`.
 */
export function visibleTo({ account }: Caller): { readonly roles: readonly Role[]; readonly self: string } {
  return { roles: account.role === 'Super admin' ? ROLES : ['Member'], self: account.id };
}

/**
 * Throws a refusal if the caller may not assign the role. Only a Super admin may make someone an Admin or Super admin.
 */
export function checkGivenRole(caller: Caller, role: Role): void {
  if (caller.account.role !== 'Super admin' && role !== 'Member') throw new Refusal('role_exceeds_yours');
}

export interface UserChange {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly status?: Status | undefined;
  readonly teamIds?: readonly string[] | undefined;
  /** Whether to confirm that the e-mail address belongs to the user. */
  readonly emailConfirmed?: boolean | undefined;
}

/**
 * Throws a refusal if the caller may not make the change. No one may change their own role or status, or confirm their
 * own e-mail address.
 */
export function checkUserChange(caller: Caller, target: Account, change: UserChange): void {
  const isSelf = target.id === caller.account.id;
  const changesRole = change.role !== undefined && change.role !== target.role;
  const changesStatus = change.status !== undefined && change.status !== target.status;
  const confirms = change.emailConfirmed === true;
  if (isSelf && (changesRole || changesStatus || confirms)) throw new Refusal('cannot_change_yourself');
  if (!mayActOn(caller, target, { self: true })) throw new Refusal('role_exceeds_yours');
  if (changesRole) checkGivenRole(caller, change.role as Role);
}

/**
 * Returns an account on which the caller may act. It is for actions that no one may take on their own account, such as
 * deletion or a reset link. Throws a refusal if there is no such account, if it is the caller's own, or if the caller may
 * not act on it.
 */
export function otherAccount({ accounts }: Pick<Stores, 'accounts'>, caller: Caller, id: string): Account {
  const target = accounts.byId(id);
  if (target === undefined) throw new Refusal('not_found');
  if (id === caller.account.id) throw new Refusal('cannot_change_yourself');
  if (!mayActOn(caller, target, { self: false })) throw new Refusal('role_exceeds_yours');
  return target;
}
