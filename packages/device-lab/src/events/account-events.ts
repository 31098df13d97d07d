import type { ExpiringToken } from '@svc/auth-core';
import type { NewLabEvent } from './lab-events.ts';

/**
 * @returns an event for the account with this id, to be published after its role, status or teams have changed. The
 * clients of the account then reload the devices and sessions that the account is allowed to see.
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
