import { signal } from '@preact/signals';
import { type Answer, call } from './client.ts';

export type Me = Answer<'me'>;
export type Role = Me['role'];

/** Account that is signed in. Set before the content of a page is shown. */
export const caller = signal<Me>(undefined as unknown as Me);

/**
 * Loads the signed-in account again. Pages call this when the user or an administrator may have changed the account.
 */
export async function reloadCaller(): Promise<void> {
  caller.value = await call('me');
}

/** All roles, from the one with the fewest permissions. */
export const ROLES: readonly Role[] = ['Member', 'Admin', 'Super admin'];

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
