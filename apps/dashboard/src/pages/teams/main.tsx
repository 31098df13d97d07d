import { pageQuery } from '../../api/page-query.ts';
import { mountPage } from '../../shell/mount-page.tsx';
import { TeamDetail } from './team-detail.tsx';
import { TeamList } from './team-list.tsx';

/** Shows the list of teams, or one team if the address contains `?id=`. */
function TeamsPage() {
  const id = pageQuery('id');
  return id === '' ? <TeamList /> : <TeamDetail id={id} />;
}

mountPage({ page: 'teams', needs: 'Admin', Content: TeamsPage });
