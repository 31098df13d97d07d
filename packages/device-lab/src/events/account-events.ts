import type { NewLabEvent } from './lab-events.ts';

/** Sent to an account whose role, status or teams changed, because it may now see other devices and sessions. */
export function accountChanged(id: string): NewLabEvent {
  return { type: 'account_changed', payload: { id }, audience: { kind: 'account', id }, isLogged: false };
}
