import { signal } from '@preact/signals';
import { type Answer, call } from './client.ts';

export type Me = Answer<'me'>;
export type Role = Me['role'];

/** The signed-in account. The shell sets it before it shows the content of a page. */
export const caller = signal<Me>(undefined as unknown as Me);

/** Loads the account again after it was changed here, or may have been changed by an administrator. */
export async function reloadCaller(): Promise<void> {
  caller.value = await call('me');
}

const RANK: readonly Role[] = ['Member', 'Admin', 'Super admin'];

export function isAtLeast(role: Role, least: Role): boolean {
  return RANK.indexOf(role) >= RANK.indexOf(least);
}
