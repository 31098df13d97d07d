import type { Caller } from '../principal.ts';
import { refusalToDrive, type SessionOwner } from './drive-session.ts';

/**
 * Whether a session shows in the list a caller asked for: their own, admins all, nobody without credentials
 * (specification 5.7.8). What may be listed is what may be driven.
 */
export function isListed(caller: Caller | null, owner: SessionOwner): boolean {
  return caller !== null && refusalToDrive(caller, owner) === null;
}
