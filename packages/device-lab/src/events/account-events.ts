import type { NewLabEvent } from './lab-events.ts';

/**
 * @returns an event for the account with this id, whose role, status or teams changed, so that its clients load again
 * which devices and sessions it may see
 */
export function accountChanged(id: string): NewLabEvent {
  return { type: 'account_changed', payload: { id }, audience: { kind: 'account', id }, isLogged: false };
}
