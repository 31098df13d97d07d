import type { Account, Caller } from '../principal.ts';

/**
 * Decides whether the caller may act on an account. An Admin may act on Members only, and a Super admin on anyone
 * (contract 3.6).
 * @param self result if the target is the caller's own account
 */
export function mayActOn(caller: Caller, target: Account, { self }: { self: boolean }): boolean {
  if (target.id === caller.account.id) return self;
  return caller.account.role === 'Super admin' || target.role === 'Member';
}

/**
 * @returns whether the caller may see an account. An Admin sees Members and their own account, and a Super admin sees
 * everyone (contract 2, GET /users).
 */
export function maySee(caller: Caller, target: Account): boolean {
  return mayActOn(caller, target, { self: true });
}
