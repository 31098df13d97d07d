import { ADMIN } from '@svc/contract';
import type { Caller } from '../principal.ts';
import { isOverrideAdmin, mayAccess } from './access.ts';
import { maySeeDevice } from './create-session.ts';
import type { SessionOwner } from './drive-session.ts';
import { isListed } from './list-sessions.ts';

/** Who may see a live event: whoever may see what it is about. */
export type EventAudience =
  /** A driver session's: its owner and override admins. */
  | { readonly kind: 'session'; readonly ownerId: Exclude<SessionOwner, undefined> }
  /** A device's; `teamId` null: of the shared pool. */
  | { readonly kind: 'device'; readonly teamId: string | null }
  /** Of a device that was given to another team: everybody who saw it before and does not see it now. */
  | { readonly kind: 'hidden device'; readonly from: string | null; readonly to: string | null }
  /** An account's own, and override admins'. */
  | { readonly kind: 'account'; readonly id: string }
  /** Role Admin with scope `admin`. */
  | { readonly kind: 'admins' };

/** Asked for each event and reader with the caller as they are then (specification 6). */
export function maySeeEvent(caller: Caller, audience: EventAudience): boolean {
  switch (audience.kind) {
    case 'session':
      return isListed(caller, audience.ownerId);
    case 'device':
      return maySeeDevice(caller, audience.teamId);
    case 'hidden device':
      return maySeeDevice(caller, audience.from) && !maySeeDevice(caller, audience.to);
    case 'account':
      return caller.account.id === audience.id || isOverrideAdmin(caller);
    case 'admins':
      return mayAccess(caller, ADMIN);
  }
}
