import type { Account, ApiToken } from '@svc/auth-core';
import type { NewLabEvent } from './lab-events.ts';

/**
 * @returns an event for the clients of an account, to be published after the account's role, status or teams have
 * changed. The clients then reload the devices and sessions, because the account may now be allowed to see others.
 */
export function accountChanged(id: string): NewLabEvent {
  return { type: 'account_changed', payload: { id }, audience: { kind: 'account', id }, isLogged: false };
}

/** A key or token that expires soon, and its owner. */
interface ExpiringToken {
  readonly token: Pick<ApiToken, 'id' | 'name' | 'kind'> & { readonly expiresAt: number };
  readonly owner: Pick<Account, 'id' | 'email'>;
  readonly days: number;
}

/**
 * @returns an event that tells the owner of a key or token, and all Admins, that the key or token expires soon
 * (contract 10.6). The event contains the name of the key or token, but not its value.
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
