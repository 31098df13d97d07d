import type { Caller } from '@svc/auth-core';
import { refusalToSee, type SessionOwner } from './drive-session.ts';

/**
 * @returns whether the list of sessions for this caller contains a session with this owner. A client without
 * credentials sees none (specification 5.7.8).
 */
export function isListed(caller: Caller | null, owner: SessionOwner): boolean {
  return caller !== null && refusalToSee(caller, owner) === null;
}
