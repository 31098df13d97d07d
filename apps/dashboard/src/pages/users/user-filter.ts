import { usePageFilter } from '../../api/page-filter.ts';
import type { User } from './user.ts';

export type UserFilter = Readonly<Record<'role' | 'status' | 'team', string>>;

/** Value of the filter `team` for users without a team. */
export const NO_TEAM = '-';

/** Value of the filter `status` for users whose e-mail address no one has confirmed. */
export const UNCONFIRMED = 'unconfirmed';

export const useUserFilter = () => usePageFilter(['role', 'status', 'team']);

export function isWanted({ role, status, teams, emailUnconfirmed }: User, filter: UserFilter): boolean {
  return (
    (filter.role === '' || filter.role === role) &&
    (filter.status === '' ||
      (filter.status === UNCONFIRMED ? emailUnconfirmed === true : filter.status === status)) &&
    (filter.team === '' ||
      (filter.team === NO_TEAM ? teams.length === 0 : teams.some(({ id }) => id === filter.team)))
  );
}
