import type { Caller } from '../principal.ts';
import { isOverrideAdmin } from './access.ts';

/** Owner of a driver session: an account id, `null` for none, `undefined` when there is no such session. */
export type SessionOwner = string | null | undefined;

/**
 * Why `caller` may not drive a session, for the log only; `null`: they may. Its owner, a Super admin and holders of
 * scope `admin` may; only those admins drive one without owner (specification 5.7.3). An unknown session is refused to
 * everyone, so that the two cannot be told apart (contract 7).
 */
export function refusalToDrive(caller: Caller, owner: SessionOwner): string | null {
  if (owner === undefined) return 'unknown session';
  if (owner === caller.account.id || isOverrideAdmin(caller)) return null;
  return owner === null
    ? 'the session has no owner and the caller is no admin'
    : 'the session belongs to someone else';
}
