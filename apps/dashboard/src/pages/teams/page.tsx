import { pageQuery } from '../../api/page-query.ts';
import { TeamDetail } from './team-detail.tsx';
import { TeamList } from './team-list.tsx';

/** Shows the list of teams, or one team if the address contains `?id=`. */
export function Page() {
  const id = pageQuery('id');
  return id === '' ? <TeamList /> : <TeamDetail id={id} />;
}
