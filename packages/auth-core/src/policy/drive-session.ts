import type { Caller } from '../principal.ts';
import { isOverrideAdmin } from './access.ts';

/**
 * Owner of a driver session, which is an account id, `null` if the session has no owner, or `undefined` if there is no
 * such session.
 */
export type SessionOwner = string | null | undefined;

/**
 * Decides whether the caller may send commands to a session. The owner may do so, and so may Super admins and callers
 * with the scope `admin`, who may also drive sessions without an owner (specification 5.7.3). An unknown session is
 * refused to everyone, so that clients cannot tell whether a session exists (contract 7).
 *
 * @returns why the caller may not drive the session, for the log only, or `null` if they may
 */
export function refusalToDrive(caller: Caller, owner: SessionOwner): string | null {
  if (owner === undefined) return 'unknown session';
  if (owner === caller.account.id || isOverrideAdmin(caller)) return null;
  return owner === null
    ? 'the session has no owner and the caller is no admin'
    : 'the session belongs to someone else';
}
