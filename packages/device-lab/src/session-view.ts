import type { Stores } from '@svc/auth-core';
import type { DriverSession } from './driver-session.ts';

/** A driver session with its owner. `owner` is null if the session has no owner, or if the account was deleted. */
export interface SessionView {
  readonly session: DriverSession;
  readonly owner: { readonly id: string; readonly email: string } | null;
}

export function sessionView(stores: Pick<Stores, 'accounts'>, session: DriverSession): SessionView {
  const { ownerId } = session;
  const account = ownerId === null ? undefined : stores.accounts.byId(ownerId);
  return { session, owner: account === undefined ? null : { id: account.id, email: account.email } };
}
