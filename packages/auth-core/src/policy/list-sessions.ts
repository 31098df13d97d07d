import type { Caller } from '../principal.ts';
import { refusalToDrive, type SessionOwner } from './drive-session.ts';

/**
 * @returns whether the list for this caller contains the session. It contains the sessions that they may drive; it is
 * empty without credentials (specification 5.7.8).
 */
export function isListed(caller: Caller | null, owner: SessionOwner): boolean {
  return caller !== null && refusalToDrive(caller, owner) === null;
}
