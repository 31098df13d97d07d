import type { Migration } from 'kysely';
import { up as accounts } from './0001-accounts.ts';

/** Every migration there is, oldest first; names sort in this order and never change once released. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-accounts': { up: accounts },
};
