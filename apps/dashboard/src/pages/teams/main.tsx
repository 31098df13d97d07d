import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'teams', needs: 'Admin', Content: Teams });

function Teams() {
  return <PageHeader title={texts.pages.teams} />;
}
