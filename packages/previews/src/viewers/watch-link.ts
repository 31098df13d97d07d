import type { Caller } from '@svc/auth-core';
import { emailKey } from '@svc/contract';

/**
 * Who may use a link: one account, the members of one team, or anybody who has the link. `account` is an id or an
 * e-mail address. It is compared with each viewer and never looked up, so that a holder cannot learn which accounts
 * exist.
 */
export type SpectatorAudience =
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'team'; readonly id: string }
  | { readonly kind: 'anyone' };

/** One open stream of a link. `account` is null if the link is for anybody. */
export interface Spectator {
  readonly id: string;
  readonly account: { readonly id: string; readonly email: string } | null;
  readonly address: string | null;
  readonly since: number;
}

/** A link that shows the screen of one phone, without control over it. Times are ms since 1970. */
export interface WatchLink {
  readonly id: string;
  readonly udid: string;
  readonly audience: SpectatorAudience;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** @returns whether a link is for this viewer. Whether the viewer may see the phone is another question. */
export function isInAudience({ account }: Caller, audience: SpectatorAudience): boolean {
  if (audience.kind === 'anyone') return true;
  if (audience.kind === 'team') return account.teams.some(({ id }) => id === audience.id);
  return account.id === audience.account || emailKey(account.email) === emailKey(audience.account);
}
