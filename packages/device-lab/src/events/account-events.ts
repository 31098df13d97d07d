import type { NewLabEvent } from './lab-events.ts';

/** The role, status or teams of an account changed, so it may see other devices and sessions. For the account itself. */
export function accountChanged(id: string): NewLabEvent {
  return { type: 'account_changed', payload: { id }, audience: { kind: 'account', id }, isLogged: false };
}
