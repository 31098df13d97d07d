import { type Caller, isOverrideAdmin, mayAccess } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { SessionOwner } from './drive-session.ts';
import { isListed } from './list-sessions.ts';
import { maySeeDevice } from './see-device.ts';

/** Callers who may see a live event, described by the subject of the event. */
export type EventAudience =
  /** The subject is a driver session, which its owner and override admins (see `isOverrideAdmin`) may see. */
  | { readonly kind: 'session'; readonly ownerId: Exclude<SessionOwner, undefined> }
  /** The subject is a device; `teamId` is null if the device is in the shared pool. */
  | { readonly kind: 'device'; readonly teamId: string | null }
  /**
   * The subject is a device on which a session of `ownerId` starts. Of the callers who see the device, either those who
   * would see the session get the event, or the others.
   */
  | {
      readonly kind: 'starting device';
      readonly teamId: string | null;
      readonly ownerId: Exclude<SessionOwner, undefined>;
      readonly seesSession: boolean;
    }
  /**
   * The subject is a device that was moved to another team. Callers who saw the device before and do not see it now get
   * the event, so that they can remove it.
   */
  | { readonly kind: 'hidden device'; readonly from: string | null; readonly to: string | null }
  /** The subject is an account. Its owner may see the event, and so may override admins (see `isOverrideAdmin`). */
  | { readonly kind: 'account'; readonly id: string }
  /** The event is for callers with the role Admin and the scope `admin`. */
  | { readonly kind: 'admins' }
  /** Every caller may see the event. */
  | { readonly kind: 'everybody' };

/**
 * @returns whether the caller may see the event. Call it for each event with the caller's current rights, because they
 * may change while the caller is connected (specification 6).
 */
export function maySeeEvent(caller: Caller, audience: EventAudience): boolean {
  switch (audience.kind) {
    case 'session':
      return isListed(caller, audience.ownerId);
    case 'device':
      return maySeeDevice(caller, audience.teamId);
    case 'starting device':
      return (
        maySeeDevice(caller, audience.teamId) && isListed(caller, audience.ownerId) === audience.seesSession
      );
    case 'hidden device':
      return maySeeDevice(caller, audience.from) && !maySeeDevice(caller, audience.to);
    case 'account':
      return caller.account.id === audience.id || isOverrideAdmin(caller);
    case 'admins':
      return mayAccess(caller, ADMIN);
    case 'everybody':
      return true;
  }
}
