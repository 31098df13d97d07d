import type { ExpiringToken } from '@svc/auth-core';
import type { NewLabEvent } from './lab-events.ts';

/**
 * @returns an event that is sent to the account with this id after its role, status or teams changed, so that its
 * clients reload which devices and sessions the account may see
 */
export function accountChanged(id: string): NewLabEvent {
  return { type: 'account_changed', payload: { id }, audience: { kind: 'account', id }, isLogged: false };
}

/**
 * @returns an event that notifies the owner of a key or token, and Admins, that it ends soon (contract 10.6). The event
 * contains the name of the key or token but never its value.
 */
export function tokenExpiring({ token, owner, days }: ExpiringToken): NewLabEvent {
  return {
    type: 'token_expiring',
    payload: {
      id: token.id,
      name: token.name,
      kind: token.kind,
      owner: { id: owner.id, email: owner.email },
      expiresAt: new Date(token.expiresAt).toISOString(),
      days,
    },
    audience: { kind: 'account', id: owner.id },
  };
}
