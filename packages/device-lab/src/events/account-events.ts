import type { NewLabEvent } from './lab-events.ts';

/**
 * @returns an event that is sent to the account with this id after its role, status or teams changed, so that its
 * clients reload which devices and sessions the account may see
 */
export function accountChanged(id: string): NewLabEvent {
  return { type: 'account_changed', payload: { id }, audience: { kind: 'account', id }, isLogged: false };
}
