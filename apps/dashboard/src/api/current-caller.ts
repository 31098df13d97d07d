import { signal } from '@preact/signals';
import { type Answer, call } from './client.ts';

export type Me = Answer<'me'>;
export type Role = Me['role'];

/** Who is signed in. The shell has set it before it shows a page's content. */
export const caller = signal<Me>(undefined as unknown as Me);

/** Asks again: after a change to the own account, or when the lab may have changed it. */
export async function reloadCaller(): Promise<void> {
  caller.value = await call('me');
}

const RANK: readonly Role[] = ['Member', 'Admin', 'Super admin'];

export function isAtLeast(role: Role, least: Role): boolean {
  return RANK.indexOf(role) >= RANK.indexOf(least);
}
