import type { Answer } from '../../api/client.ts';

export type User = Answer<'listUsers'>[number];

/** Roles, from the one with the fewest permissions. */
export const ROLES = ['Member', 'Admin', 'Super admin'];
