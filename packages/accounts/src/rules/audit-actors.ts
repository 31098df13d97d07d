import {
  type Audit,
  type actorOf,
  type Caller,
  LOCAL_ORIGIN,
  origin,
  Refusal,
  type RequestOrigin,
} from '@svc/auth-core';
import type { AuditEventName } from '@svc/contract';

/** Actor and origin, in audit rows, of a command that was run on the server's host and therefore without an account. */
export const BY_COMMAND_LINE: ReturnType<typeof actorOf> = {
  actor: 'command line',
  ...LOCAL_ORIGIN,
};

/**
 * @returns the fields with which `recordRefusal` records the refusal of an unauthenticated client. The route is null,
 * because the name of the audit event already says what was refused.
 */
export function refusedFrom(from: RequestOrigin): Omit<Parameters<Audit['recordRefusal']>[1], 'reason'> {
  return { actor: null, route: null, ...origin(from) };
}

/**
 * Records why the proof of a signed-in caller, such as the current password, was refused, and throws the refusal. The
 * client gets the same response for every reason.
 */
export function refuseProof(
  audit: Audit,
  event: AuditEventName,
  { account: { id }, from }: Caller,
  reason: string,
): never {
  audit.recordRefusal(event, { ...refusedFrom(from), actor: id, target: id, reason });
  throw new Refusal('incorrect current password', reason);
}
