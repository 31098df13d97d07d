import { type Audit, type actorOf, LOCAL_ORIGIN, origin, type RequestOrigin } from '@svc/auth-core';

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
