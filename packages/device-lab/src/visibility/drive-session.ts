import { type Caller, heldMcpScopes, isOverrideAdmin } from '@svc/auth-core';

/**
 * Owner of a driver session, which is an account id, `null` if the session has no owner, or `undefined` if there is no
 * such session.
 */
export type SessionOwner = string | null | undefined;

/**
 * Decides whether the caller may send commands to a session. Everyone who sees the session may do so, except an agent
 * without the MCP scope `auto:use`, whatever token it has minted (contract 12).
 *
 * @returns why the caller may not drive the session, for the log only, or `null` if they may
 */
export function refusalToDrive(caller: Caller, owner: SessionOwner): string | null {
  const reason = refusalToSee(caller, owner);
  if (reason !== null) return reason;
  return heldMcpScopes(caller.credential)?.includes('auto:use') === false
    ? 'the agent lacks the scope auto:use'
    : null;
}

/**
 * Decides whether the caller sees a session. The owner does, and so do Super admins and callers with the scope `admin`,
 * who also see sessions without an owner (specification 5.7.3). An unknown session is refused to everyone, so that
 * clients cannot tell whether a session exists (contract 7).
 *
 * @returns why the caller may not see the session, for the log only, or `null` if they may
 */
export function refusalToSee(caller: Caller, owner: SessionOwner): string | null {
  if (owner === undefined) return 'unknown session';
  if (owner === caller.account.id || isOverrideAdmin(caller)) return null;
  return owner === null
    ? 'the session has no owner and the caller is no admin'
    : 'the session belongs to someone else';
}
